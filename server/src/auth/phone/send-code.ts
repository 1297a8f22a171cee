import { smsText } from '../../delivery/messages.ts'
import { Failure } from '../../errors/failure.ts'
import type { ErrorDeclaration } from '../../errors/failure.ts'
import type { Context } from '../../http/context.ts'
import { preferredLanguage } from '../../http/language.ts'
import { countForAddress } from '../count-for-address.ts'
import { findPhoneCountry, phoneInvalid } from './phone-number.ts'
import { recordSecurityEvent } from '../security-record.ts'
import { discardSmsCode, issueSmsCode } from './sms-code.ts'

declare module '../../http/context.ts' {
  interface Context {
    /** ISO 3166-1 alpha-2 codes of the countries whose numbers are served; all when undefined. */
    smsCountries: readonly string[] | undefined
    /** The hash that Android derives from the app's name and signature. */
    smsAppHash: string | undefined
  }
}

export const sendFailed = [
  409,
  'Failed to send SMS',
  'the provider failed, and the code is void',
] as const satisfies ErrorDeclaration

/**
 * Sends a code to a phone number, within the limits of the number, its neighbours, its country and the caller's address. Asks
 * `assertEntitled` when the call has been counted, and before anything is sent.
 */
export async function sendCode(
  ctx: Context,
  phone: string,
  purpose: 'signup' | 'recovery',
  assertEntitled: () => Promise<void> = async () => {},
): Promise<void> {
  const country = findPhoneCountry(phone)
  if (ctx.smsCountries && !ctx.smsCountries.includes(country ?? '')) throw new Failure(...phoneInvalid)
  const sentCodeId = await countForAddress(ctx, 'smsPerAddress', async () => {
    await ctx.limits.consume('smsPerPhone', phone)
    await ctx.limits.consume('smsPerPhoneHour', phone)
    await assertEntitled()
    await ctx.limits.consume('smsPerBlock', phone.slice(0, -4))
    await ctx.limits.consume('smsPerDay', 'all')
    return countSmsCode(ctx, country)
  })
  const code = await issueSmsCode(ctx, phone, sentCodeId)
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
    throw new Failure(...sendFailed)
  }
  await recordSecurityEvent(ctx.database.sql, ctx, { action: 'code_send', reason: `for ${purpose}`, phone })
}

/** A code that its country may not have takes nothing from the daily cap of all. */
async function countSmsCode({ limits }: Context, country = 'unknown'): Promise<bigint | undefined> {
  try {
    return await limits.countSmsCode(country)
  } catch (error) {
    await limits.giveBack('smsPerDay', 'all')
    throw error
  }
}
