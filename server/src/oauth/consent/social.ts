import { errors } from 'oidc-provider'
import { findAccountByIdentity } from '../../auth/social/identity-account.ts'
import type { SignInAttempt, ProviderCallback } from '../../auth/social/social-provider.ts'
import { Failure } from '../../errors/failure.ts'
import type { Context } from '../../http/context.ts'
import { splitRequestTarget } from '../../http/request.ts'
import { stepAddress } from '../step.ts'
import type { AuthorizationStep } from './page.ts'
import { completeSignIn, signInIssues, signInForConsent } from './sign-in.ts'
import type { OnAccountFound } from './sign-in.ts'
import { deriveSignInAttempt, isStateOfAttempt } from './social-attempt.ts'

/** The attempt to sign in by the social provider that the address names. */
function attemptIn({ ctx, request, provider: { issuer }, interaction: { uid, prompt } }: AuthorizationStep) {
  const { provider } = request.params
  if (typeof provider !== 'string' || prompt.name !== 'login') throw new errors.SessionNotFound('no sign-in')
  return { provider, attempt: deriveSignInAttempt(ctx.keys, { issuer, uid, provider }) }
}

export async function leaveForProvider(step: AuthorizationStep): Promise<void> {
  const { provider, attempt } = attemptIn(step)
  const url = await step.ctx.socialProviders.begin(provider, attempt)
  const target =
    url instanceof URL ? url.href : `${stepAddress(step.provider, step.interaction.uid)}?issue=failed`
  step.response.set({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(303, target)
}

export async function returnFromProvider(step: AuthorizationStep): Promise<void> {
  const { ctx, request, response } = step
  const { provider, attempt } = attemptIn(step)
  const given = new URLSearchParams(splitRequestTarget(request).query)
  if (!isStateOfAttempt(attempt, given.get('state') ?? ''))
    throw new errors.SessionNotFound('another attempt')
  try {
    // Without a code, the parent has changed their mind, or the provider has failed.
    const code = given.get('code')
    const iss = given.get('iss') ?? undefined
    const account =
      code !== null &&
      (await signInForConsent(ctx, (concerns) =>
        proveIdentity(ctx, { provider, attempt, returned: { code, iss }, concerns }),
      ))
    if (account) await completeSignIn(step, account)
    else response.redirect(303, stepAddress(step.provider, step.interaction.uid))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const issue =
      error.status === 404 ? 'stranger' : error instanceof BadCode ? 'failed' : signInIssues[error.status]
    // Away from an address that holds a code.
    response
      .set('cache-control', 'no-store')
      .redirect(303, `${stepAddress(step.provider, step.interaction.uid)}?issue=${issue ?? 'failed'}`)
  }
}

class BadCode extends Failure {
  constructor() {
    super(400, 'Could not validate credentials')
  }
}

async function proveIdentity(
  ctx: Context,
  {
    provider,
    attempt,
    returned,
    concerns,
  }: { provider: string; attempt: SignInAttempt; returned: ProviderCallback; concerns: OnAccountFound },
) {
  const identity = await ctx.socialProviders.finish(provider, attempt, returned)
  if (identity === 'unavailable') throw new Failure(503, 'Sign-in provider is not available')
  if (identity === 'unknown' || identity === 'invalid') throw new BadCode()
  const id = await findAccountByIdentity(ctx, identity)
  concerns(id)
  return { id, assertStill: undefined }
}
