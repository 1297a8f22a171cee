import { checkAccountState } from '../../auth/admission.ts'
import { startLimitedGuess } from '../../auth/count-failures.ts'
import { verifyEmailAndPassword } from '../../auth/password/prove-password.ts'
import { sendResetMail } from '../../auth/reset-mail.ts'
import { recordSecurityError } from '../../auth/security-record.ts'
import { Failure } from '../../errors/failure.ts'
import type { Context } from '../../http/context.ts'
import { endProviderSession } from '../adapter.ts'
import { storeStepResult, AUTHORIZE_PATH, stepAddress } from '../step.ts'
import { renderSignIn } from './html.ts'
import type { SignInIssue } from './html.ts'
import { formFieldValues, redirectToNextStep, sendConsentPage, readAuthorizationParameter } from './page.ts'
import type { AuthorizationStep } from './page.ts'

export async function showSignIn(
  step: AuthorizationStep,
  status: number,
  issue?: SignInIssue,
  isMailed = false,
): Promise<void> {
  const { ctx, request, client: asking, interaction, language } = step
  const [email = readAuthorizationParameter(interaction, 'login_hint')] = formFieldValues(
    request.body,
    'email',
  )
  const providers = ctx.socialProviders.web.map((name) => ({
    name,
    url: `${stepAddress(step.provider, step.interaction.uid)}/with/${name}`,
  }))
  sendConsentPage(step, status, renderSignIn(language, { asking, email, issue, isMailed, providers }))
}

/** What the page says of a response of the sign-in by e-mail. */
export const signInIssues: Record<number, SignInIssue> = {
  400: 'wrong',
  404: 'wrong',
  401: 'incomplete',
  403: 'incomplete',
  410: 'deleted',
  423: 'blocked',
  429: 'many',
}

export async function signIn(step: AuthorizationStep): Promise<void> {
  const { ctx, request, response } = step
  const [email = ''] = formFieldValues(request.body, 'email')
  const [password = ''] = formFieldValues(request.body, 'password')
  if (!isText(email, 320) || !isText(password, 1000)) return showSignIn(step, 422, 'wrong')
  try {
    await completeSignIn(
      step,
      await signInForConsent(ctx, (concerns) => verifyEmailAndPassword(ctx, { email, password, concerns })),
    )
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value)
    const status = error.status === 429 ? 429 : 422
    await showSignIn(step, status, signInIssues[error.status] ?? 'failed')
  }
}

/** Sends the mail for a new password. The page does not say whether an account has the address. */
export async function forgotPassword(step: AuthorizationStep): Promise<void> {
  const { ctx, request, response } = step
  const [email = ''] = formFieldValues(request.body, 'email')
  if (email.trim() === '' || !isText(email, 320)) return showSignIn(step, 422, 'no email')
  const concerned: { rootUserId?: number } = {}
  try {
    await sendResetMail(ctx, email, (rootUserId) => {
      concerned.rootUserId = rootUserId
    })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    await recordSecurityError(ctx, 'password_reset_request', error, concerned)
    for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value)
    if (error.status === 429 || error.status === 500)
      return showSignIn(step, error.status, signInIssues[error.status] ?? 'failed')
  }
  await showSignIn(step, 200, undefined, true)
}

/** Answers the step for the account that has signed in. */
export async function completeSignIn(
  step: AuthorizationStep,
  account: { id: number; token_epoch: number },
): Promise<void> {
  const login = { accountId: String(account.id), acr: String(account.token_epoch), remember: false }
  await storeStepResult(step.ctx.database.sql, step.interaction, { login })
  redirectToNextStep(step)
}

const isText = (text: string, most: number) =>
  text.length <= 2 * most && text.isWellFormed() && !text.includes('\0')

export type OnAccountFound = (rootUserId: number) => void

/** Signs in with the limits and the record of the sign-in by e-mail, but without a session of the account. */
export async function signInForConsent(
  ctx: Context,
  prove: (
    concerns: OnAccountFound,
  ) => Promise<{ id: number; assertStill: Parameters<typeof checkAccountState>[4] }>,
) {
  const concerned: { rootUserId?: number } = {}
  const settle = await startLimitedGuess(ctx)
  let failure: unknown
  try {
    const { id, assertStill } = await prove((rootUserId) => {
      concerned.rootUserId = rootUserId
    })
    return await ctx.database.transaction((sql) =>
      checkAccountState(sql, ctx, id, 'connect_sign_in', assertStill),
    )
  } catch (error) {
    failure = error
    if (error instanceof Failure) await recordSecurityError(ctx, 'connect_sign_in', error, concerned)
    throw error
  } finally {
    await settle(failure)
  }
}

/** Begins again with the sign-in. */
export async function restartSignIn({
  ctx,
  response,
  interaction,
  provider,
}: AuthorizationStep): Promise<void> {
  if (interaction.session) await endProviderSession(ctx.database, interaction.session.uid)
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(interaction.params))
    if (typeof value === 'string') query.set(name, value)
  response.redirect(303, `${provider.issuer}${AUTHORIZE_PATH}?${query.toString()}`)
}
