import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { messageResponseSchema, textField } from '../http/fields.ts'
import { resetMailErrors, sendResetMail } from './reset-mail.ts'
import { recordErrorsOfOperation } from './security-record.ts'

export const requestPasswordReset = endpoint(
  {
    method: 'POST',
    path: '/api/v1/alpha/auth/email/password-reset',
    summary: 'Send a mail with a link for a new password',
    description: `The link opens a page of this service and works once, within 30 minutes. The mail is Korean or English, in
the language that the holder of the account has chosen, or else by \`Accept-Language\` or the country of the account.`,
  },
  resetMailErrors,
)
  .use(recordErrorsOfOperation('password_reset_request'))
  .input(z.object({ email: textField({ most: 320 }).meta({ examples: ['parent@example.com'] }) }))
  .output(messageResponseSchema)
  .mutation(async ({ ctx, input }) => {
    await sendResetMail(ctx, input.email, (rootUserId) => ctx.concerns(rootUserId))
    return { statusCode: 200 as const, message: 'Password reset email sent' }
  })
