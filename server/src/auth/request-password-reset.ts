import { z } from 'zod'
import { resetMail } from '../delivery/messages.ts'
import { endpoint } from '../http/endpoint.ts'
import { message, text } from '../http/fields.ts'
import { preferredLanguage } from '../http/language.ts'
import { discardResetToken, issueResetToken, RESET_PAGE } from './password/reset-token.ts'
import { record, recordErrors } from './security-record.ts'
import { hasEmail } from '../encrypted-columns/lookup.ts'

export const requestPasswordReset = endpoint(
  {
    method: 'POST',
    path: '/api/v1/alpha/auth/email/password-reset',
    summary: 'Send a mail with a link for a new password',
    description: `The link opens a page of this service and works once, within 30 minutes. The mail is Korean or English, by
\`Accept-Language\` or else by the country of the account.`,
  },
  [
    [400, 'User signed up using a social account', 'the account has no password'],
    [404, 'User ID not found', 'no account has this e-mail'],
    [
      429,
      'Too many requests',
      '3 mails for one account within an hour, or 100 failures of one IP address within 10 minutes',
    ],
    [500, 'Email send failed', 'the mail server failed, and the link is void'],
  ],
)
  .use(recordErrors('password_reset_request'))
  .input(z.object({ email: text({ most: 320 }).meta({ examples: ['parent@example.com'] }) }))
  .output(message)
  .mutation(async ({ ctx, input }) => {
    // Also when it succeeds: it sends a mail.
    await ctx.limits.consume('failuresPerAddress', ctx.request.address)
    const email = input.email.toLowerCase()
    const account = await ctx.database.sql
      .selectFrom('root_user')
      .select(['id', 'email', 'register_type', 'national_code'])
      .where(hasEmail(ctx.database.keyRing, email))
      .executeTakeFirst()
    if (!account?.email) throw ctx.failure(404, 'User ID not found')
    ctx.concerns(account.id)
    if (account.register_type === 'S') throw ctx.failure(400, 'User signed up using a social account')
    await ctx.limits.consume('resetMailsPerEmail', email)
    const token = await issueResetToken(ctx, account.id)
    const link = `${ctx.request.origin()}${RESET_PAGE}?token=${token}`
    const language = preferredLanguage(ctx.request.headers, account.national_code)
    try {
      await ctx.mail.sendMail({
        to: ctx.database.keyRing.decrypt('root_user.email', account.email),
        link,
        ...resetMail(language, link),
      })
    } catch (error) {
      ctx.log.error({ err: error, request_id: ctx.request.id }, 'mail not sent')
      await discardResetToken(ctx, token)
      await ctx.limits.giveBack('resetMailsPerEmail', email)
      throw ctx.failure(500, 'Email send failed')
    }
    await record(ctx.database.sql, ctx, { action: 'password_reset_request', rootUserId: account.id })
    return { statusCode: 200 as const, message: 'Password reset email sent' }
  })
