import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { messageResponseSchema, textField } from '../http/fields.ts'
import { newPasswordSchema } from './password/passwords.ts'
import { resetPassword } from './password/reset-token.ts'
import { codeErrors } from './phone/sms-code.ts'

export const confirmPasswordReset = endpoint(
  {
    method: 'POST',
    path: '/api/v1/alpha/auth/email/password-reset/confirm',
    summary: 'Set a new password with the token of the mail',
    description:
      'For an app that opens the link itself. Every session of the account ends, and every other link sent to it is void. An account whose address is not confirmed yet needs the SMS code of its phone too, sent by `POST /api/v1/alpha/auth/send-sms-auth` with `purpose` `recovery`; a refused code leaves the token good.',
  },
  [[400, 'Reset token is invalid', 'it is unknown, used or older than 30 minutes'], ...codeErrors],
)
  .input(
    z.object({
      token: z.string().meta({ description: 'The parameter `token` of the link in the mail' }),
      password: newPasswordSchema,
      validnum: textField()
        .optional()
        .meta({
          description: 'The 6-digit code; needed while the address of the account is not confirmed',
          examples: ['012345'],
        }),
    }),
  )
  .output(messageResponseSchema)
  .mutation(async ({ ctx, input }) => {
    const outcome = await resetPassword(ctx, input)
    if (outcome === 'token') throw ctx.failure(400, 'Reset token is invalid')
    if (outcome === 'code expired') throw ctx.failure(400, 'Validation code is expired')
    if (outcome === 'code invalid') throw ctx.failure(400, 'Validation code is invalid')
    return { statusCode: 200 as const, message: 'Password changed' }
  })
