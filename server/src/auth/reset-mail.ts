import { emailConditionSql } from '../encrypted-columns/lookup.ts'
import { resetMail } from '../delivery/messages.ts'
import { Failure } from '../errors/failure.ts'
import type { ErrorDeclaration } from '../errors/failure.ts'
import type { Context } from '../http/context.ts'
import { chooseAccountLanguage } from '../http/language.ts'
import { countForAddress } from './count-for-address.ts'
import { deleteUnsentResetToken, issueResetToken, RESET_PAGE } from './password/reset-token.ts'
import { recordSecurityEvent } from './security-record.ts'

const social = [400, 'User signed up using a social account', 'the account has no password'] as const
const unknown = [404, 'User ID not found', 'no account has this e-mail'] as const
const unsent = [500, 'Email send failed', 'the mail server failed, and the link is void'] as const

export const resetMailErrors = [
  social,
  unknown,
  [
    429,
    'Too many requests',
    '3 mails for one account within an hour, or 100 failures of one IP address within 10 minutes',
  ],
  unsent,
] as const satisfies readonly ErrorDeclaration[]

/** Sends the link for a new password to the account of an address; names the account to `concerns` first. */
export const sendResetMail = (
  ctx: Context,
  address: string,
  concerns: (rootUserId: number) => void,
): Promise<void> =>
  // Also when it succeeds: it sends a mail.
  countForAddress(ctx, 'failuresPerAddress', () => sendCountedResetMail(ctx, address, concerns))

async function sendCountedResetMail(
  ctx: Context,
  address: string,
  concerns: (rootUserId: number) => void,
): Promise<void> {
  const email = address.toLowerCase()
  const account = await ctx.database.sql
    .selectFrom('root_user')
    .select(['id', 'email', 'register_type', 'language', 'national_code'])
    .where(emailConditionSql(ctx.database.keyRing, email))
    .executeTakeFirst()
  if (!account?.email) throw new Failure(...unknown)
  concerns(account.id)
  if (account.register_type === 'S') throw new Failure(...social)
  await ctx.limits.consume('resetMailsPerEmail', email)
  const token = await issueResetToken(ctx, account.id)
  const link = `${ctx.request.origin()}${RESET_PAGE}?token=${token}`
  const language = chooseAccountLanguage(account, ctx.request.headers)
  try {
    await ctx.mail.sendMail({
      to: ctx.database.keyRing.decrypt('root_user.email', account.email),
      link,
      ...resetMail(language, link),
    })
  } catch (error) {
    ctx.log.error({ err: error, request_id: ctx.request.id }, 'mail not sent')
    await deleteUnsentResetToken(ctx, token)
    await ctx.limits.giveBack('resetMailsPerEmail', email)
    throw new Failure(...unsent)
  }
  await recordSecurityEvent(ctx.database.sql, ctx, {
    action: 'password_reset_request',
    rootUserId: account.id,
  })
}
