import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { textField } from '../http/fields.ts'
import { assertPhoneNumber, findPhoneCountry, phoneInput, phoneInvalid } from './phone/phone-number.ts'
import { limitFailedGuesses } from './count-failures.ts'
import { recordSecurityEvent, recordErrorsOfOperation } from './security-record.ts'
import { verifySmsCode, codeErrors, consumeSmsCode } from './phone/sms-code.ts'
import { wasDeleted } from './tombstone.ts'
import { phoneConditionSql } from '../encrypted-columns/lookup.ts'

export const verifyPhone = endpoint(
  {
    method: 'POST',
    path: '/api/v1/alpha/auth/phone-number-validation',
    summary: 'Verify a phone number with the code sent to it',
    description:
      'A code may be tried 5 times. The phone of an imported account that waited only for this is verified, and the account becomes active.',
  },
  [
    phoneInvalid,
    ...codeErrors,
    [403, 'User previously deleted', 'a deleted account had this number'],
    [409, 'Phone number is already registered', 'an account has this number'],
  ],
)
  .use(recordErrorsOfOperation('code_verify'))
  .input(
    z.object({
      phone: phoneInput,
      validnum: textField().meta({ description: 'The 6-digit code', examples: ['012345'] }),
    }),
  )
  .output(
    z
      .object({
        valid_token: z.string().meta({ description: 'For one sign-up with this number, within 600 seconds' }),
        country: z
          .string()
          .nullable()
          .meta({
            description: 'The country of the number, ISO 3166-1 alpha-2; null if nobody knows',
            examples: ['KR'],
          }),
      })
      .meta({ id: 'VerifiedPhone', description: 'A phone number that was verified' }),
  )
  .use(limitFailedGuesses)
  .mutation(async ({ ctx, input: { phone, validnum } }) => {
    assertPhoneNumber(phone)
    const verdict = await verifySmsCode(ctx, phone, validnum)
    if (verdict === 'expired') throw ctx.failure(400, 'Validation code is expired')
    if (verdict === 'invalid') throw ctx.failure(400, 'Validation code is invalid')
    await ctx.database.transaction(async (sql) => {
      if (!(await consumeSmsCode(sql, ctx, phone, validnum)))
        throw ctx.failure(400, 'Validation code is invalid')
      if (await wasDeleted(sql, ctx, 'phone', phone)) throw ctx.failure(403, 'User previously deleted')
      const account = await sql
        .selectFrom('root_user')
        .select(['id', 'is_signup_completed', 'is_phone_number_checked'])
        .where(phoneConditionSql(ctx.database.keyRing, phone))
        .forUpdate()
        .executeTakeFirst()
      if (account?.is_signup_completed) {
        if (account.is_phone_number_checked) throw ctx.failure(409, 'Phone number is already registered')
        // All that an imported account was waiting for.
        await sql
          .updateTable('root_user')
          .set({ is_phone_number_checked: true })
          .where('id', '=', account.id)
          .execute()
      }
      await recordSecurityEvent(sql, ctx, { action: 'code_verify', rootUserId: account?.id, phone })
    })
    return { valid_token: await ctx.tokens.issueValid(phone), country: findPhoneCountry(phone) ?? null }
  })
