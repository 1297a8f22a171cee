import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { textField } from '../http/fields.ts'
import { limitFailedGuesses } from './count-failures.ts'
import { assertPhoneNumber, phoneInput, phoneInvalid } from './phone/phone-number.ts'
import { recordErrorsOfOperation, recordSecurityEvent } from './security-record.ts'
import { verifySmsCode, codeErrors, consumeSmsCode } from './phone/sms-code.ts'
import { wasDeleted } from './tombstone.ts'
import { phoneConditionSql } from '../encrypted-columns/lookup.ts'

export const findAccount = endpoint(
  {
    method: 'POST',
    path: '/api/v1/alpha/auth/find-account',
    summary: 'Find the e-mail of the account that holds a phone number',
    description: 'Call `POST /api/v1/alpha/auth/send-sms-auth` with `purpose` `recovery` first.',
  },
  [
    phoneInvalid,
    ...codeErrors,
    [403, 'User previously deleted', 'a deleted account had this number'],
    [404, 'User id is not found', 'no account has this number'],
  ],
)
  .use(recordErrorsOfOperation('account_find'))
  .input(
    z.object({
      phone: phoneInput,
      validnum: textField().meta({ description: 'The 6-digit code', examples: ['012345'] }),
    }),
  )
  .output(
    z
      .object({
        email: z.string(),
        provider: z.string().meta({
          description: 'The social provider of the account, or `email`.',
          examples: ['email', 'google'],
        }),
      })
      .meta({ id: 'FoundAccount', description: 'How the account with this phone number signs in' }),
  )
  .use(limitFailedGuesses)
  .mutation(async ({ ctx, input: { phone, validnum } }) => {
    assertPhoneNumber(phone)
    const verdict = await verifySmsCode(ctx, phone, validnum)
    if (verdict === 'expired') throw ctx.failure(400, 'Validation code is expired')
    if (verdict === 'invalid') throw ctx.failure(400, 'Validation code is invalid')
    const { keyRing } = ctx.database
    return ctx.database.transaction(async (sql) => {
      if (!(await consumeSmsCode(sql, ctx, phone, validnum)))
        throw ctx.failure(400, 'Validation code is invalid')
      if (await wasDeleted(sql, ctx, 'phone', phone)) throw ctx.failure(403, 'User previously deleted')
      const account = await sql
        .selectFrom('root_user')
        .leftJoin('social_identity', 'social_identity.root_user_id', 'root_user.id')
        .select(['root_user.id', 'root_user.email', 'social_identity.provider'])
        .where(phoneConditionSql(keyRing, phone))
        .forKeyShare('root_user')
        .executeTakeFirst()
      if (!account?.email) throw ctx.failure(404, 'User id is not found')
      await recordSecurityEvent(sql, ctx, { action: 'account_find', rootUserId: account.id })
      const email = keyRing.decrypt('root_user.email', account.email)
      return { email, provider: account.provider ?? 'email' }
    })
  })
