import { accountEndpoint } from '../auth/account-endpoint.ts'
import { mailConfirmation } from '../auth/email-address/email-confirmation.ts'
import { Failure } from '../errors/failure.ts'
import { accountErrors } from '../errors/generic.ts'
import { messageResponseSchema, noFieldsSchema } from '../http/fields.ts'

export const sendEmailConfirmation = accountEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/user/email/confirmation',
    right: 'self',
    summary: 'Send the mail that confirms the e-mail address again',
    description: `The link in it works for 7 days, and a new mail replaces it. An address that is confirmed already gets no mail.`,
  },
  [
    [429, 'Too many requests', '3 mails for one account within an hour'],
    [500, 'Email send failed', 'the mail server failed, or the account has no address'],
  ],
)
  .input(noFieldsSchema)
  .output(messageResponseSchema)
  .mutation(async ({ ctx }) => {
    const { rootUserId } = ctx.caller
    const { sql, keyRing } = ctx.database
    const account = await sql
      .selectFrom('root_user')
      .select(['id', 'email', 'language', 'national_code', 'email_confirmed_at'])
      .where('id', '=', rootUserId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    if (!account) throw new Failure(...accountErrors[1])
    if (account.email_confirmed_at)
      return { statusCode: 200 as const, message: 'Email address is confirmed already' }
    await ctx.limits.consume('confirmationMailsPerAccount', `current ${rootUserId}`)
    const failed = async () => {
      await ctx.limits.giveBack('confirmationMailsPerAccount', `current ${rootUserId}`)
      throw ctx.failure(500, 'Email send failed')
    }
    const email = keyRing.decrypt('root_user.email', account.email)
    if (email === null) await failed()
    else await mailConfirmation(ctx, { ...account, email }, 'current', failed)
    return { statusCode: 200 as const, message: 'Confirmation email sent' }
  })
