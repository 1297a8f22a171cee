import { endpoint } from '../http/endpoint.ts'
import {
  assertSignUpInput,
  createAccount,
  newAccountInput,
  requireVerifiedPhone,
  signUpErrors,
} from './new-account.ts'
import { hashPassword, newPasswordSchema } from './password/passwords.ts'
import { recordErrorsOfOperation } from './security-record.ts'
import { sessionResponseSchema } from './tokens/token-response.ts'

export const signUp = endpoint(
  {
    method: 'POST',
    path: '/api/v1/alpha/auth/email/signup',
    repeat: 'none',
    summary: 'Sign up with e-mail and password',
    description:
      'An account that the operator has imported and nobody has taken yet is completed instead. A sign-up that fails leaves the `valid_token` usable.',
    token: 'valid',
  },
  signUpErrors,
)
  .use(recordErrorsOfOperation('sign_up'))
  .use(async ({ ctx, next }) => {
    const verified = await requireVerifiedPhone(ctx)
    ctx.concernsPhone(verified.phone)
    return next({ ctx: { verified } })
  })
  .input(newAccountInput.extend({ password: newPasswordSchema }))
  .output(sessionResponseSchema)
  .mutation(async ({ ctx, input: { password, ...profile } }) => {
    assertSignUpInput(ctx.verified, profile)
    const password_hash = await hashPassword(password, ctx.passwordHashing)
    return createAccount(ctx, ctx.verified, profile, { action: 'sign_up', password_hash })
  })
