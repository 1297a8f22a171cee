import { endpoint } from '../http/endpoint.ts'
import { startSessionIfAllowed, stateErrors } from './admission.ts'
import { limitFailedGuesses } from './count-failures.ts'
import { mailFirstConfirmation } from './email-address/email-confirmation.ts'
import { findAccountByIdentity, unknownIdentity } from './social/identity-account.ts'
import { recordErrorsOfOperation } from './security-record.ts'
import { socialTokenInput, socialTokenErrors, verifySocialToken } from './social/social-token.ts'
import { sessionResponseSchema } from './tokens/token-response.ts'

export const socialSignIn = endpoint(
  {
    method: 'POST',
    path: '/api/v1/alpha/auth/social/signin',
    repeat: 'none',
    summary: 'Sign in with a social account',
    description: `The account is the one that signed up with the same identity: the issuer and subject of the ID token, never the e-mail.
An account has one session: the refresh token of an earlier sign-in no longer works.`,
  },
  [unknownIdentity, ...stateErrors, ...socialTokenErrors],
)
  .use(recordErrorsOfOperation('social_sign_in'))
  .input(socialTokenInput)
  .output(sessionResponseSchema)
  .use(limitFailedGuesses)
  .mutation(async ({ ctx, input }) => {
    const identity = await verifySocialToken(ctx, input)
    const rootUserId = await findAccountByIdentity(ctx, identity)
    ctx.concerns(rootUserId)
    const session = await ctx.database.transaction((sql) =>
      startSessionIfAllowed(sql, ctx, rootUserId, 'social_sign_in'),
    )
    await mailFirstConfirmation(ctx, rootUserId)
    return session
  })
