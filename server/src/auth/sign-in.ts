import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { text } from '../http/fields.ts'
import { verifyPassword } from './passwords.ts'
import { startSession } from './session.ts'
import { sessionResponse } from './token-response.ts'
import { wasDeleted } from './tombstone.ts'

export const signIn = endpoint(
  {
    method: 'POST',
    path: '/api/v1/alpha/auth/email/signin',
    summary: 'Sign in with e-mail and password',
    description: `Ends the session of an earlier sign-in: its refresh token is no longer valid.`,
    body: 'form',
  },
  [
    [400, 'Password is invalid'],
    [401, 'Sign-up not completed'],
    [403, 'SMS verification required'],
    [404, 'User not found'],
    [410, 'User is Deleted'],
    [423, 'Access denied. Account blocked'],
  ],
)
  .input(
    z.object({
      username: text({ most: 320 }).meta({
        description: 'The e-mail address',
        examples: ['parent@example.com'],
      }),
      password: text({ most: 1000 }).meta({ format: 'password' }),
    }),
  )
  .output(sessionResponse)
  .mutation(async ({ ctx, input: { username, password } }) => {
    const email = username.toLowerCase()
    const { sql } = ctx.database
    const account = await sql
      .selectFrom('root_user')
      .select([
        'id',
        'token_epoch',
        'password_hash',
        'blocked_at',
        'is_signup_completed',
        'is_phone_number_checked',
      ])
      .where((column) => column.fn<string>('lower', ['email']), '=', email)
      .executeTakeFirst()
    if (!account) {
      if (await wasDeleted(sql, ctx, 'email', email)) throw ctx.failure(410, 'User is Deleted')
      throw ctx.failure(404, 'User not found')
    }
    // Counted before the comparison and given back when right, so that guesses sent at once cannot exceed it.
    await ctx.limits.consume('failedSignInsPerAccount', email)
    if (!account.password_hash || !(await verifyPassword(password, account.password_hash))) {
      throw ctx.failure(400, 'Password is invalid')
    }
    await ctx.limits.giveBack('failedSignInsPerAccount', email)
    if (account.blocked_at) throw ctx.failure(423, 'Access denied. Account blocked')
    if (!account.is_signup_completed) throw ctx.failure(401, 'Sign-up not completed')
    if (!account.is_phone_number_checked) throw ctx.failure(403, 'SMS verification required')
    const pair = await ctx.database.transaction(async (sql) => {
      // Holds off a block or deletion until the session is there for it to remove.
      const still = await sql
        .selectFrom('root_user')
        .select(['id', 'token_epoch', 'blocked_at', 'deleted_at'])
        .where('id', '=', account.id)
        .where('password_hash', '=', account.password_hash)
        .forShare()
        .executeTakeFirst()
      if (!still) throw ctx.failure(400, 'Password is invalid')
      if (still.deleted_at) throw ctx.failure(410, 'User is Deleted')
      if (still.blocked_at) throw ctx.failure(423, 'Access denied. Account blocked')
      return startSession(sql, ctx.tokens, still)
    })
    return { ...pair, token_type: 'bearer', id: account.id }
  })
