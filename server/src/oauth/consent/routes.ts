import express from 'express'
import type { Request, Response, Router } from 'express'
import { errors } from 'oidc-provider'
import type { Provider } from 'oidc-provider'
import { methodNotAllowed } from '../../errors/method-not-allowed.ts'
import { pageHeaders } from '../../http/html-page.ts'
import { preferredLanguage } from '../../http/language.ts'
import { formReader } from '../../http/body/read-body.ts'
import { splitRequestTarget } from '../../http/request.ts'
import type { CreateContext } from '../../http/request.ts'
import { findClient } from '../client.ts'
import { findStep, INTERACTION_PATH } from '../step.ts'
import type { Interaction } from '../step.ts'
import { allow, decline, showConsent } from './decide.ts'
import { isSignInIssue, renderError } from './html.ts'
import { formFieldValues, redirectToNextStep, readAuthorizationParameter } from './page.ts'
import type { AuthorizationStep } from './page.ts'
import { forgotPassword, restartSignIn, showSignIn, signIn } from './sign-in.ts'
import { leaveForProvider, returnFromProvider } from './social.ts'
import { SOCIAL_RETURN_PATH, parseSocialState } from './social-attempt.ts'

/**
 * The pages between a service that asks and its response: sign-in, which leaves the account's session alone, and consent. Both
 * are plain forms that work without JavaScript. A step is of the browser that began it. A browser that answers it again, by a second
 * click, is led where the first response has led.
 */
export function consentPage(
  createContext: CreateContext,
  providerFor: (request: Request) => Provider,
): Router {
  const page = express.Router()
  const path = `${INTERACTION_PATH}:uid`
  const answer =
    (act: (step: AuthorizationStep) => Promise<void>, again: (step: AuthorizationStep) => void) =>
    async (request: Request, response: Response): Promise<void> => {
      const ctx = createContext(request, response, 'rest')
      const provider = providerFor(request)
      let language = preferredLanguage(request.headers)
      try {
        const interaction = await findStep(provider, request, String(request.params['uid']))
        if (!interaction || !isFromHere(request, provider.issuer))
          throw new errors.SessionNotFound('not this browser')
        if (request.facts) request.facts.operation = `oauth.${interaction.prompt.name}Page`
        language = preferredLanguage({ 'accept-language': wishedLanguages(request, interaction) })
        const client = await findClient(ctx.database, readAuthorizationParameter(interaction, 'client_id'))
        if (!client || client.blocked_at) throw new errors.SessionNotFound('service ended')
        const step = { ctx, provider, request, response, interaction, client, language }
        await (interaction.result ? again(step) : act(step))
      } catch (error) {
        const isGone = error instanceof errors.SessionNotFound
        if (!isGone) ctx.log.error({ err: error, request_id: ctx.request.id }, 'unhandled error')
        response
          .status(isGone ? 400 : 503)
          .set(pageHeaders)
          .send(renderError(language, isGone ? undefined : { error: 'server_error' }))
      }
    }
  page.get(path, answer(show, gone))
  page.get(`${path}/with/:provider`, answer(leaveForProvider, gone))
  page.get(`${path}/from/:provider`, answer(returnFromProvider, redirectToNextStep))
  page.get(SOCIAL_RETURN_PATH, (request, response) => {
    if (request.facts) request.facts.operation = 'oauth.socialReturn'
    const { query } = splitRequestTarget(request)
    const step = parseSocialState(new URLSearchParams(query).get('state') ?? '')
    if (step)
      return response.redirect(
        303,
        `${providerFor(request).issuer}${INTERACTION_PATH}${step.uid}/from/${step.provider}?${query}`,
      )
    return response
      .status(400)
      .set(pageHeaders)
      .send(renderError(preferredLanguage(request.headers)))
  })
  page.post(path, formReader(20_000), answer(decide, redirectToNextStep))
  page.all(path, methodNotAllowed('GET, HEAD, POST'))
  return page
}

/** What the service knows of the parent's languages (OpenID Connect Core, 3.1.2.1), then what the browser says. */
const wishedLanguages = ({ headers }: Request, interaction: Interaction) =>
  [
    ...readAuthorizationParameter(interaction, 'ui_locales').split(' ').filter(Boolean),
    headers['accept-language'] ?? '',
  ].join(',')

/** A page that is opened again after it was answered. */
function gone(): void {
  throw new errors.SessionNotFound('answered')
}

/** Whether a form was sent by a page of this service; browsers say so. */
function isFromHere({ headers }: Request, issuer: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  const isSame = site === undefined || site === 'same-origin' || site === 'none'
  // The pages send no referrer, so that their origin is null.
  return headers['content-type'] === undefined
    ? true
    : isSame && (origin === undefined || origin === 'null' || origin === new URL(issuer).origin)
}

function show(step: AuthorizationStep): Promise<void> {
  if (step.interaction.prompt.name !== 'login') return showConsent(step, 200)
  const issue = new URLSearchParams(splitRequestTarget(step.request).query).get('issue')
  return showSignIn(step, 200, isSignInIssue(issue) ? issue : undefined)
}

function decide(step: AuthorizationStep): Promise<void> {
  const [action] = formFieldValues(step.request.body, 'action')
  if (action === 'decline') return decline(step)
  if (step.interaction.prompt.name === 'login')
    return action === 'forgot' ? forgotPassword(step) : signIn(step)
  return action === 'other' ? restartSignIn(step) : allow(step)
}
