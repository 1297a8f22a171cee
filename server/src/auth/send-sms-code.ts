import { z } from 'zod'
import { smsText } from '../delivery/messages.ts'
import type { Context } from '../http/context.ts'
import { endpoint } from '../http/endpoint.ts'
import { isPhoneNumber } from '../http/fields.ts'
import { preferredLanguage } from '../http/language.ts'
import { phoneCountry } from './phone-country.ts'
import { record, recordRefusals } from './security-record.ts'
import { discardSmsCode, issueSmsCode } from './sms-code.ts'
import { hasPhone } from '../database/lookup.ts'

declare module '../http/context.ts' {
  interface Context {
    /** ISO 3166-1 alpha-2 codes of the countries whose numbers are served; all when undefined. */
    smsCountries: readonly string[] | undefined
    /** The hash that Android derives from the app's name and signature. */
    smsAppHash: string | undefined
  }
}

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
    [400, 'Phone number is invalid', 'it is not E.164, or of a country that is not served'],
    [409, 'Phone number is already registered', '`purpose` is `signup`, and an account has this number'],
    [409, 'Failed to send SMS', 'the provider failed, and the code is void'],
    [
      429,
      'Too many requests',
      'too many codes for one number, for numbers next to it, from one IP address, or to a country where few are entered',
    ],
  ],
)
  .use(recordRefusals('code_send'))
  .input(
    z.object({
      // Judged below: the contract's text wins over a validation error.
      phone: z.string().meta({ description: 'E.164', examples: ['+821012345678'] }),
      purpose: z.enum(['signup', 'recovery']).default('signup').meta({
        description:
          '`signup`: for a number that no account has yet, also the new number of an account; `recovery`: for any number',
      }),
    }),
  )
  .output(z.boolean().meta({ description: 'Always true.', examples: [true] }))
  .mutation(async ({ ctx, input: { phone, purpose } }) => {
    if (!isPhoneNumber(phone)) throw ctx.failure(400, 'Phone number is invalid')
    const country = phoneCountry(phone)
    if (ctx.smsCountries && !ctx.smsCountries.includes(country ?? '')) {
      throw ctx.failure(400, 'Phone number is invalid')
    }
    await ctx.limits.consume('smsPerAddress', ctx.request.address)
    ctx.concernsPhone(phone)
    await ctx.limits.consume('smsPerPhone', phone)
    await ctx.limits.consume('smsPerPhoneHour', phone)
    if (purpose === 'signup') {
      const account = await ctx.database.sql
        .selectFrom('root_user')
        .select('id')
        .where(hasPhone(ctx.database.keyRing, phone))
        .where('is_signup_completed', '=', true)
        .where('is_phone_number_checked', '=', true)
        .executeTakeFirst()
      if (account) throw ctx.failure(409, 'Phone number is already registered')
    }
    await ctx.limits.consume('smsPerBlock', phone.slice(0, -4))
    await ctx.limits.consume('smsPerDay', 'all')
    const code = await issueSmsCode(ctx, phone, await countCode(ctx, country))
    const text = smsText(preferredLanguage(ctx.request.headers, country), {
      code,
      origin: ctx.request.origin(),
      appHash: ctx.smsAppHash,
    })
    try {
      await ctx.sms.sendSms({ to: phone, text, code })
    } catch (error) {
      ctx.log.error({ err: error, request_id: ctx.request.id }, 'SMS not sent')
      await discardSmsCode(ctx, phone, code)
      throw ctx.failure(409, 'Failed to send SMS')
    }
    await record(ctx.database.sql, ctx, { action: 'code_send', reason: `for ${purpose}`, phone })
    return true
  })

/** A code that its country may not have takes nothing from the daily cap of all. */
async function countCode({ limits }: Context, country = 'unknown'): Promise<bigint | undefined> {
  try {
    return await limits.countCode(country)
  } catch (error) {
    await limits.giveBack('smsPerDay', 'all')
    throw error
  }
}
