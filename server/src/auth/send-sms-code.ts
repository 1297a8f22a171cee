import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { isPhoneNumber, text } from '../http/fields.ts'
import { discardSmsCode, issueSmsCode, smsText } from './sms-code.ts'

export const sendSmsCode = endpoint(
  {
    method: 'POST',
    path: '/api/v1/alpha/auth/send-sms-auth',
    summary: 'Send a verification code by SMS',
    description: `A code lives 180 seconds and a new one replaces it. A number may be sent 3 codes at once, then one a minute, 5 an hour.`,
  },
  [
    [400, 'Phone number is invalid'],
    [409, 'Phone number is already registered'],
    [409, 'Failed to send SMS'],
  ],
)
  .input(
    z.object({
      phone: text().meta({ description: 'E.164', examples: ['+821012345678'] }),
      purpose: z.enum(['signup', 'recovery']).default('signup').meta({
        description: '`signup`: for a number that has no account yet; `recovery`: for any number.',
      }),
    }),
  )
  .output(z.boolean().meta({ description: 'Always true.' }))
  .mutation(async ({ ctx, input: { phone, purpose } }) => {
    if (!isPhoneNumber(phone)) throw ctx.failure(400, 'Phone number is invalid')
    await ctx.limits.consume('smsPerAddress', ctx.request.address)
    await ctx.limits.consume('smsPerPhone', phone)
    await ctx.limits.consume('smsPerPhoneHour', phone)
    if (purpose === 'signup') {
      const account = await ctx.database.sql
        .selectFrom('root_user')
        .select('id')
        .where('phone', '=', phone)
        .executeTakeFirst()
      if (account) throw ctx.failure(409, 'Phone number is already registered')
    }
    const code = await issueSmsCode(ctx, phone)
    try {
      await ctx.sms.sendSms({ to: phone, text: smsText(code), code })
    } catch (error) {
      ctx.log.error({ err: error, request_id: ctx.request.id }, 'SMS not sent')
      await discardSmsCode(ctx, phone, code)
      throw ctx.failure(409, 'Failed to send SMS')
    }
    return true
  })
