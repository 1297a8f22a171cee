import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { message } from '../http/fields.ts'
import { newPassword } from './passwords.ts'
import { resetPassword } from './reset-token.ts'

export const confirmPasswordReset = endpoint(
  {
    method: 'POST',
    path: '/api/v1/alpha/auth/email/password-reset/confirm',
    summary: 'Set a new password with the token of the mail',
    description:
      'For an app that opens the link itself. Every session of the account ends, and every other link sent to it is void.',
  },
  [[400, 'Reset token is invalid', 'it is unknown, used or older than 30 minutes']],
)
  .input(
    z.object({
      token: z.string().meta({ description: 'The parameter `token` of the link in the mail' }),
      password: newPassword,
    }),
  )
  .output(message)
  .mutation(async ({ ctx, input: { token, password } }) => {
    if (!(await resetPassword(ctx, token, password))) throw ctx.failure(400, 'Reset token is invalid')
    return { statusCode: 200 as const, message: 'Password changed' }
  })
