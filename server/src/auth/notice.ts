import { grantNotice, noticeOf } from '../delivery/messages.ts'
import type { NoticeKind } from '../delivery/messages.ts'
import type { Context } from '../http/context.ts'
import { preferredLanguage } from '../http/language.ts'

/** A change, or the name of a service that can read from now on. */
type Told = NoticeKind | { client: string }

/** Where the holder of an account is reached, as it is stored. */
interface Holder {
  email: string | null
  national_code: string
  /** The number that gets the notice by SMS too; for a change of the number it is the old one. */
  phone?: string | null
}

/**
 * Tells the holder of an account of a change, once it is committed. A notice that cannot be delivered is logged and
 * fails nothing. The language is that of the account's country: who calls may be a thief.
 */
export async function notifyHolder(ctx: Context, notice: Told, holder: Holder): Promise<void> {
  const { national_code } = holder
  const { keyRing } = ctx.database
  const email = keyRing.decrypt('root_user.email', holder.email)
  const phone = keyRing.decrypt('root_user.phone', holder.phone ?? null)
  const language = preferredLanguage({}, national_code)
  const { subject, text, sms } =
    typeof notice === 'string' ? noticeOf(language, notice) : grantNotice(language, notice.client)
  await ctx.database.onceCommitted(async () => {
    const deliveries = [
      ...(email ? [ctx.mail.sendMail({ to: email, subject, text })] : []),
      ...(phone ? [sendSms(ctx, phone, sms)] : []),
    ]
    for (const delivery of await Promise.allSettled(deliveries)) {
      if (delivery.status === 'fulfilled') continue
      ctx.log.error({ err: delivery.reason, request_id: ctx.request.id, notice }, 'notice not sent')
    }
  })
}

async function sendSms({ limits, sms }: Context, to: string, text: string): Promise<void> {
  await limits.consume('smsPerDay', 'all')
  await sms.sendSms({ to, text })
}
