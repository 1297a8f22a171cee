import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { textField } from '../http/fields.ts'
import { startSessionIfAllowed, stateErrors } from './admission.ts'
import { limitFailedGuesses } from './count-failures.ts'
import { mailFirstConfirmation } from './email-address/email-confirmation.ts'
import { passwordErrors, verifyEmailAndPassword } from './password/prove-password.ts'
import { recordErrorsOfOperation } from './security-record.ts'
import { sessionResponseSchema } from './tokens/token-response.ts'

export const signIn = endpoint(
  {
    method: 'POST',
    path: '/api/v1/alpha/auth/email/signin',
    repeat: 'none',
    summary: 'Sign in with e-mail and password',
    description: 'An account has one session: the refresh token of an earlier sign-in no longer works.',
    body: 'form',
  },
  [
    ...passwordErrors,
    ...stateErrors,
    [
      429,
      'Too many requests',
      '10 wrong passwords within 15 minutes, 100 in a row from addresses that the account is not known by, or 100 failures of one IP address within 10 minutes',
    ],
  ],
)
  .use(recordErrorsOfOperation('sign_in'))
  .input(
    z.object({
      username: textField({ most: 320 }).meta({
        description: 'The e-mail address, in any case',
        examples: ['parent@example.com'],
      }),
      password: textField({ most: 1000 }).meta({ format: 'password' }),
    }),
  )
  .output(sessionResponseSchema)
  .use(limitFailedGuesses)
  .mutation(async ({ ctx, input: { username, password } }) => {
    const { id, assertStill } = await verifyEmailAndPassword(ctx, {
      email: username,
      password,
      concerns: ctx.concerns,
    })
    const session = await ctx.database.transaction((sql) =>
      startSessionIfAllowed(sql, ctx, id, 'sign_in', assertStill),
    )
    await mailFirstConfirmation(ctx, id)
    return session
  })
