import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { isEmail } from '../auth/email-address/email-address.ts'
import { assertEmailAvailable, mailConfirmation } from '../auth/email-address/email-confirmation.ts'
import { notifyAccountHolder } from '../auth/notice.ts'
import { holderErrors, reauthenticationInput, reauthenticate } from '../auth/reauthenticate.ts'
import { recordSecurityEvent, recordErrorsOfOperation } from '../auth/security-record.ts'
import { Failure } from '../errors/failure.ts'
import { accountErrors } from '../errors/generic.ts'
import { messageResponseSchema } from '../http/fields.ts'

export const changeEmail = accountEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/user/change-email',
    right: 'self',
    summary: 'Change the e-mail address',
    description: `Sends a link to the new address, which works for 24 hours, and a notice to the old one. The address changes when the
page of the link is confirmed. Sessions stay.`,
  },
  [
    [400, 'Email is not valid', 'it is not an e-mail address'],
    ...holderErrors,
    [409, 'Same email is already registered', 'an account has this e-mail, or a deleted one had it'],
    [500, 'Email send failed', 'the mail server failed, and nothing has changed'],
  ],
)
  .use(recordErrorsOfOperation('email_change_request'))
  .input(
    reauthenticationInput
      .extend({
        // Judged below: the contract's text wins over a validation error.
        email: z.string().meta({ description: 'The new address', examples: ['parent@example.com'] }),
      })
      .meta({ examples: [{ email: 'parent@example.com', password: 'correct horse battery staple' }] }),
  )
  .output(messageResponseSchema)
  .mutation(async ({ ctx, input: { email, ...proof } }) => {
    const { rootUserId } = ctx.caller
    ctx.concerns(rootUserId)
    const { sql, keyRing } = ctx.database
    const account = await sql
      .selectFrom('root_user')
      .select(['id', 'email', 'language', 'national_code', 'password_hash', 'is_contact_email'])
      .where('id', '=', rootUserId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    if (!account) throw new Failure(...accountErrors[1])
    await reauthenticate(ctx, account, proof)
    if (!isEmail(email)) throw ctx.failure(400, 'Email is not valid')
    const present = keyRing.decrypt('root_user.email', account.email)
    if (present?.toLowerCase() === email.toLowerCase() && !account.is_contact_email)
      throw ctx.failure(409, 'Same email is already registered')
    await assertEmailAvailable(sql, { ...ctx, keyRing }, email, rootUserId)
    await ctx.limits.consume('confirmationMailsPerAccount', `change ${rootUserId}`)
    await mailConfirmation(ctx, { ...account, email }, 'change', async () => {
      await ctx.limits.giveBack('confirmationMailsPerAccount', `change ${rootUserId}`)
      throw ctx.failure(500, 'Email send failed')
    })
    await recordSecurityEvent(sql, ctx, { action: 'email_change_request', rootUserId })
    await notifyAccountHolder(ctx, 'email_change_requested', account)
    return { statusCode: 200 as const, message: 'Confirmation email sent to the new address' }
  })
