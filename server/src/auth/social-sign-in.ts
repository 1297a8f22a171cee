import { endpoint } from '../http/endpoint.ts'
import { admit, stateErrors } from './admission.ts'
import { countFailures } from './count-failures.ts'
import { mailFirstConfirmation } from './email/email-confirmation.ts'
import { accountOf, unknownIdentity } from './social/identity-account.ts'
import { recordErrors } from './security-record.ts'
import { socialToken, socialTokenErrors, verifySocialToken } from './social/social-token.ts'
import { sessionResponse } from './tokens/token-response.ts'

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
  .use(recordErrors('social_sign_in'))
  .input(socialToken)
  .output(sessionResponse)
  .use(countFailures)
  .mutation(async ({ ctx, input }) => {
    const identity = await verifySocialToken(ctx, input)
    const rootUserId = await accountOf(ctx, identity)
    ctx.concerns(rootUserId)
    const session = await ctx.database.transaction((sql) => admit(sql, ctx, rootUserId, 'social_sign_in'))
    await mailFirstConfirmation(ctx, rootUserId)
    return session
  })
