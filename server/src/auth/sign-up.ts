import { z } from 'zod'
import { isRefusedByDatabase } from '../database/refusal.ts'
import type { Context } from '../http/context.ts'
import { endpoint } from '../http/endpoint.ts'
import { birthdate, countryCode, flag, name, phone, text } from '../http/fields.ts'
import { bearerToken } from '../http/request.ts'
import { recordConsents } from './consents.ts'
import { hashPassword } from './passwords.ts'
import { startSession } from './session.ts'
import { sessionResponse } from './token-response.ts'
import { wasDeleted } from './tombstone.ts'

const EMAIL = z.email({ pattern: z.regexes.html5Email })
const isEmail = (value: string) => value.length <= 254 && EMAIL.safeParse(value).success

const newPassword = text({ least: 8, most: 128 }).meta({ format: 'password' })

const verifiedPhone = ({ request, tokens }: Context) => {
  const token = bearerToken(request)
  return token === undefined ? undefined : tokens.verifyValid(token)
}

export const signUp = endpoint(
  {
    method: 'POST',
    path: '/api/v1/alpha/auth/email/signup',
    summary: 'Sign up with e-mail and password',
    description:
      'The Authorization header carries the `valid_token` of phone-number-validation; it is used up on success.',
    token: 'valid',
  },
  [
    [400, 'Email is not valid'],
    [401, 'Token is invalid'],
    [409, 'Same email is already registered'],
    [500, 'Failed to sign up user'],
  ],
)
  .use(async ({ ctx, next }) => {
    const verified = await verifiedPhone(ctx)
    if (!verified) throw ctx.failure(401, 'Token is invalid')
    return next({ ctx: { verified } })
  })
  .input(
    z.object({
      email: text({ most: 320 }).meta({ examples: ['parent@example.com'] }),
      password: newPassword,
      first_name: name.meta({ description: 'The full name' }),
      last_name: text({ most: 100 }).meta({ deprecated: true, description: 'Send an empty string.' }),
      birthdate,
      gender: z.enum(['M', 'F', 'P']),
      phone,
      register_type: z.enum(['E', 'S']),
      is_push_agree: flag,
      is_marketing_agree: flag,
      national_code: countryCode,
    }),
  )
  .output(sessionResponse)
  .mutation(async ({ ctx, input: { password, email, is_push_agree, is_marketing_agree, ...profile } }) => {
    const { verified } = ctx
    if (verified.phone !== profile.phone) throw ctx.failure(401, 'Token is invalid')
    if (!isEmail(email)) throw ctx.failure(400, 'Email is not valid')
    const password_hash = await hashPassword(password)
    const created = await ctx.database
      .transaction(async (sql) => {
        const used = await sql
          .insertInto('used_token')
          .values({ token_id: verified.tokenId, expires_at: verified.expiresAt })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst()
        if (used.numInsertedOrUpdatedRows === 0n) throw ctx.failure(401, 'Token is invalid')
        if (await wasDeleted(sql, ctx, 'email', email.toLowerCase())) {
          throw ctx.failure(409, 'Same email is already registered')
        }
        const account = await sql
          .insertInto('root_user')
          .values({
            ...profile,
            email,
            password_hash,
            password_changed_at: new Date(),
            is_phone_number_checked: true,
            is_signup_completed: true,
          })
          .onConflict((conflict) => conflict.doNothing())
          .returning(['id', 'token_epoch'])
          .executeTakeFirst()
        if (account) {
          await recordConsents(sql, account.id, { is_push_agree, is_marketing_agree }, 'sign-up')
          return { id: account.id, pair: await startSession(sql, ctx.tokens, account) }
        }
        // The phone can only be taken by a sign-up with another token for it, which leaves this one without its right.
        const taken = await sql
          .selectFrom('root_user')
          .select('id')
          .where('phone', '=', profile.phone)
          .executeTakeFirst()
        throw taken
          ? ctx.failure(401, 'Token is invalid')
          : ctx.failure(409, 'Same email is already registered')
      })
      .catch((error: unknown) => {
        if (!isRefusedByDatabase(error)) throw error
        ctx.log.error({ err: error, request_id: ctx.request.id }, 'sign-up failed')
        throw ctx.failure(500, 'Failed to sign up user')
      })
    return { ...created.pair, token_type: 'bearer', id: created.id }
  })
