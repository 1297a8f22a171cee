import { z } from 'zod'
import { phoneConditionSql } from '../encrypted-columns/lookup.ts'
import { endpoint } from '../http/endpoint.ts'
import { assertPhoneNumber, phoneInput } from './phone/phone-number.ts'
import { recordErrorsOfOperation } from './security-record.ts'
import { sendCode, sendFailed } from './phone/send-code.ts'

export const sendSmsCode = endpoint(
  {
    method: 'POST',
    path: '/api/v1/alpha/auth/send-sms-auth',
    summary: 'Send a verification code by SMS',
    description: `The code has 6 digits and is valid for 180 seconds; a new code replaces it. A number gets at most 3 codes at once, then
one a minute, and 5 an hour. The text is Korean or English, by \`Accept-Language\` or else by the country of the number,
and ends so that phones fill the code in.`,
  },
  [
    [
      400,
      'Phone number is invalid',
      'it is not the E.164 spelling of a number that its country assigns, or its country is not served',
    ],
    [409, 'Phone number is already registered', '`purpose` is `signup`, and an account has this number'],
    sendFailed,
    [
      429,
      'Too many requests',
      'too many codes for one number, for numbers next to it, from one IP address, or to a country where few are entered',
    ],
  ],
)
  .use(recordErrorsOfOperation('code_send'))
  .input(
    z.object({
      phone: phoneInput,
      purpose: z.enum(['signup', 'recovery']).default('signup').meta({
        description:
          '`signup`: for a number that no account has yet, also the new number of an account; `recovery`: for any number',
      }),
    }),
  )
  .output(z.boolean().meta({ description: 'Always true.', examples: [true] }))
  .mutation(async ({ ctx, input: { phone, purpose } }) => {
    assertPhoneNumber(phone)
    ctx.concernsPhone(phone)
    await sendCode(ctx, phone, purpose, async () => {
      if (purpose === 'recovery') return
      const account = await ctx.database.sql
        .selectFrom('root_user')
        .select('id')
        .where(phoneConditionSql(ctx.database.keyRing, phone))
        .where('is_signup_completed', '=', true)
        .where('is_phone_number_checked', '=', true)
        .executeTakeFirst()
      if (account) throw ctx.failure(409, 'Phone number is already registered')
    })
    return true
  })
