import { noticeOf } from '../delivery/messages.ts'
import type { AccountNotice } from '../delivery/messages.ts'
import type { Context } from '../http/context.ts'
import { chooseAccountLanguage } from '../http/language.ts'
import type { HolderLanguage } from '../http/language.ts'

/** Where the holder of an account is reached, as it is stored. */
interface Holder extends HolderLanguage {
  email: string | null
  /** The number that gets the notice by SMS too; for a change of the number it is the old one. */
  phone?: string | null
}

/**
 * Tells the holder of an account of a change, once it is committed. A notice that cannot be delivered is logged and
 * fails nothing. What the call prefers as its language counts for nothing: who calls may be a thief.
 */
export async function notifyAccountHolder(
  ctx: Context,
  notice: AccountNotice,
  holder: Holder,
): Promise<void> {
  const { keyRing } = ctx.database
  const email = keyRing.decrypt('root_user.email', holder.email)
  const phone = keyRing.decrypt('root_user.phone', holder.phone ?? null)
  const { subject, text, sms } = noticeOf(chooseAccountLanguage(holder), notice)
  await ctx.database.onceCommitted(async () => {
    const deliveries = [
      ...(email ? [ctx.mail.sendMail({ to: email, subject, text })] : []),
      ...(phone ? [sendSms(ctx, phone, sms)] : []),
    ]
    for (const delivery of await Promise.allSettled(deliveries)) {
      if (delivery.status === 'fulfilled') continue
      const kind = typeof notice === 'string' ? notice : notice.kind
      ctx.log.error({ err: delivery.reason, request_id: ctx.request.id, notice: kind }, 'notice not sent')
    }
  })
}

async function sendSms({ limits, sms }: Context, to: string, text: string): Promise<void> {
  await limits.consume('smsPerDay', 'all')
  await sms.sendSms({ to, text })
}
