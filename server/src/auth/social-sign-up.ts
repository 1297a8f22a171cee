import { endpoint } from '../http/endpoint.ts'
import {
  assertSignUpInput,
  createAccount,
  newAccountInput,
  requireVerifiedPhone,
  signUpErrors,
} from './new-account.ts'
import { recordErrorsOfOperation } from './security-record.ts'
import { socialTokenInput, socialTokenErrors, verifySocialToken } from './social/social-token.ts'
import { sessionResponseSchema } from './tokens/token-response.ts'

export const socialSignUp = endpoint(
  {
    method: 'POST',
    path: '/api/v1/alpha/auth/social/signup',
    repeat: 'none',
    summary: 'Sign up with a social account',
    description:
      'The account has no password. A social identity that is registered already is refused like an e-mail that is.',
    token: 'valid',
  },
  [...signUpErrors, ...socialTokenErrors],
)
  .use(recordErrorsOfOperation('social_sign_up'))
  .use(async ({ ctx, next }) => {
    const verified = await requireVerifiedPhone(ctx)
    ctx.concernsPhone(verified.phone)
    return next({ ctx: { verified } })
  })
  .input(
    newAccountInput.extend(socialTokenInput.shape).meta({
      examples: [
        {
          email: 'parent@example.com',
          first_name: 'Jiyoung',
          birthdate: '19870412',
          gender: 'F',
          phone: '+821012345678',
          register_type: 'S',
          is_push_agree: true,
          is_marketing_agree: true,
          national_code: 'KR',
          provider: 'google',
          id_token: 'eyJhbGciOiJSUzI1NiJ9.….…',
        },
      ],
    }),
  )
  .output(sessionResponseSchema)
  .mutation(async ({ ctx, input: { provider, id_token, nonce, ...profile } }) => {
    assertSignUpInput(ctx.verified, profile)
    const identity = await verifySocialToken(ctx, { provider, id_token, nonce })
    return createAccount(
      ctx,
      ctx.verified,
      // However the app fills it in: this account has no password.
      { ...profile, register_type: 'S' },
      { action: 'social_sign_up', identity, provider },
    )
  })
