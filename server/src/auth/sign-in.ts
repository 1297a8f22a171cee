import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { text } from '../http/fields.ts'
import { admit, stateErrors } from './admission.ts'
import { countFailures } from './count-failures.ts'
import { countPasswordTry } from './password-tries.ts'
import { verifyPassword } from './passwords.ts'
import { recordRefusals } from './security-record.ts'
import { sessionResponse } from './token-response.ts'
import { wasDeleted } from './tombstone.ts'

export const signIn = endpoint(
  {
    method: 'POST',
    path: '/api/v1/alpha/auth/email/signin',
    summary: 'Sign in with e-mail and password',
    description: 'An account has one session: the refresh token of an earlier sign-in no longer works.',
    body: 'form',
  },
  [
    [400, 'Password is invalid', 'the password is wrong, or the account has none'],
    [404, 'User not found', 'no account has this e-mail'],
    ...stateErrors,
    [
      429,
      'Too many requests',
      '10 wrong passwords within 15 minutes, 100 in a row from addresses that the account is not known by, or 100 failures of one IP address within 10 minutes',
    ],
  ],
)
  .use(recordRefusals('sign_in'))
  .input(
    z.object({
      username: text({ most: 320 }).meta({
        description: 'The e-mail address, in any case',
        examples: ['parent@example.com'],
      }),
      password: text({ most: 1000 }).meta({ format: 'password' }),
    }),
  )
  .output(sessionResponse)
  .use(countFailures)
  .mutation(async ({ ctx, input: { username, password } }) => {
    const email = username.toLowerCase()
    const { sql } = ctx.database
    const account = await sql
      .selectFrom('root_user')
      .select(['id', 'password_hash'])
      .where((column) => column.fn<string>('lower', ['email']), '=', email)
      .executeTakeFirst()
    if (!account) {
      if (await wasDeleted(sql, ctx, 'email', email)) throw ctx.failure(410, 'User is Deleted')
      throw ctx.failure(404, 'User not found')
    }
    ctx.concerns(account.id)
    const wasRight = await countPasswordTry(ctx, { id: account.id, email })
    if (!account.password_hash || !(await verifyPassword(password, account.password_hash))) {
      throw ctx.failure(400, 'Password is invalid')
    }
    await wasRight()
    return ctx.database.transaction((sql) =>
      admit(sql, ctx, account.id, 'sign_in', ({ password_hash }) => {
        if (password_hash !== account.password_hash) throw ctx.failure(400, 'Password is invalid')
      }),
    )
  })
