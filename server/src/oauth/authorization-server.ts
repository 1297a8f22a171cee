import type { IncomingMessage } from 'node:http'
import express from 'express'
import type { Router } from 'express'
import type { Provider } from 'oidc-provider'
import type { Config } from '../config/config.ts'
import { Failure } from '../errors/failure.ts'
import type { Context } from '../http/context.ts'
import type { Forwarded } from '../http/forwarded.ts'
import type { CreateContext } from '../http/request.ts'
import { splitRequestTarget } from '../http/request.ts'
import { consentPage } from './consent/routes.ts'
import { pageHeaders } from '../http/html-page.ts'
import { preferredLanguage } from '../http/language.ts'
import { scopes } from '../http/scope.ts'
import { renderError } from './consent/html.ts'
import { createOauthProvider, oauthListener } from './provider.ts'
import { claimStepOrAwaitResult } from './resume.ts'
import { AUTHORIZE_PATH, endSignInOfOtherAccount, findStep, stepAddress } from './step.ts'

const paths = {
  '/.well-known/oauth-authorization-server': 'metadata',
  '/.well-known/openid-configuration': 'metadata',
  [AUTHORIZE_PATH]: 'authorize',
  '/oauth/token': 'token',
  '/oauth/revoke': 'revoke',
  '/oauth/introspect': 'introspect',
  '/oauth/jwks': 'jwks',
}

/**
 * Lets other services ask parents for their consent, by OAuth 2.1: the endpoints, and the pages for sign-in and consent. The
 * issuer is `PUBLIC_URL`, or the address that the service listens on.
 */
export function authorizationServer(
  { database, keys, log, limits }: Pick<Context, 'database' | 'keys' | 'log' | 'limits'>,
  { publicUrl }: Pick<Config, 'publicUrl'>,
  { originOf }: Pick<Forwarded, 'originOf'>,
  createContext: CreateContext,
): Router {
  const made = new Map<string, { provider: Provider; answer: ReturnType<typeof oauthListener> }>()
  const serverFor = (request: IncomingMessage) => {
    const issuer = originOf(request)
    let server = made.get(issuer)
    if (!server) {
      const provider = createOauthProvider({ issuer, database, keys, log })
      provider.on('grant.revoked', ({ req, res }, grantId) => {
        noteRevoked(() => createContext(req, res, 'rest'), Number(grantId)).catch((err: unknown) =>
          log.error({ err, grant: grantId }, 'end of a grant not on the trail'),
        )
      })
      server = { provider, answer: oauthListener(provider) }
      made.set(issuer, server)
    }
    return server
  }

  const router = express.Router()
  router.use(consentPage(createContext, (request) => serverFor(request).provider))
  // RFC 9728.
  router.get('/.well-known/oauth-protected-resource', (request, response) => {
    if (request.facts) request.facts.operation = 'oauth.resource'
    const resource = originOf(request)
    response.json({
      resource,
      authorization_servers: [resource],
      scopes_supported: scopes.filter((each) => each !== 'offline_access'),
      bearer_methods_supported: ['header'],
      resource_name: 'Companion',
      resource_documentation: `${resource}/docs`,
    })
  })
  router.get(`${AUTHORIZE_PATH}/:uid`, async (request, response) => {
    if (request.facts) request.facts.operation = 'oauth.resume'
    const { provider, answer } = serverFor(request)
    const { uid } = request.params
    const step = await findStep(provider, request, uid)
    // Not answered yet.
    if (step && !step.result) return response.redirect(303, stepAddress(provider, uid))
    if (step) {
      const session = await provider.Session.get(provider.createContext(request, response))
      await endSignInOfOtherAccount(database, { step, session })
    }
    const onward = step && (await claimStepOrAwaitResult(database, uid, response))
    if (onward === 'claimed') return answer(request, response, uid)
    if (!onward)
      return response
        .status(400)
        .set(pageHeaders)
        .send(renderError(preferredLanguage(request.headers)))
    return response
      .status(303)
      .set({ location: onward.location, 'cache-control': 'no-store', 'set-cookie': [...onward.cookies] })
      .end()
  })
  for (const [path, name] of Object.entries(paths))
    router.all(path, async (request, response) => {
      if (request.facts) request.facts.operation = `oauth.${name}`
      const { provider, answer } = serverFor(request)
      if (name === 'authorize') {
        const elsewhere = new URL(provider.issuer)
        if (publicUrl === undefined && request.headers.host !== elsewhere.host)
          // Cookies of `localhost` and `127.0.0.1` are not the same.
          return response.redirect(303, new URL(request.url, elsewhere).href)
        try {
          await limits.consume(
            'authorizationsPerAddress',
            createContext(request, response, 'rest').request.address,
          )
        } catch (error) {
          if (!(error instanceof Failure)) throw error
          return response.status(error.status).set(error.headers).send({ error: 'temporarily_unavailable' })
        }
        request.url = asLibraryKnows(request.url)
      }
      answer(request, response)
    })
  return router
}

/** Puts on the trail that a service has ended a grant. */
async function noteRevoked(contextOf: () => Context, grantId: number): Promise<void> {
  const ctx = contextOf()
  const children = await ctx.database.sql
    .selectFrom('access_grant_child')
    .innerJoin('access_grant', 'access_grant.id', 'grant_id')
    .select(['client_id', 'real_user_id'])
    .where('grant_id', '=', grantId)
    .execute()
  for (const { client_id: id, real_user_id: realUserId } of children) {
    const access = { operation: 'oauth.revoke', realUserId, outcome: 'ok', isChange: true }
    ctx.trail.note(ctx, { actor: { kind: 'client', id }, ...access })
  }
}

/**
 * An authorization as the library should see it. It drops the scope `offline_access` silently unless consent is asked for
 * (OpenID Connect Core, 11), so this asks for it in the service's place. And it would answer `form_post` by a page with a
 * script, which browsers do not run here; a mode that it does not know is an error that reaches the service.
 */
function asLibraryKnows(url: string): string {
  const { path, query } = splitRequestTarget({ url })
  const parameters = new URLSearchParams(query)
  const prompt = parameters.get('prompt') ?? ''
  const isOffline = (parameters.get('scope') ?? '').split(' ').includes('offline_access')
  if (isOffline && !/\b(consent|none)\b/.test(prompt) && parameters.getAll('prompt').length <= 1)
    parameters.set('prompt', `${prompt} consent`.trim())
  if (parameters.get('response_mode') === 'form_post') parameters.set('response_mode', 'form_post.off')
  return `${path}?${parameters.toString()}`
}
