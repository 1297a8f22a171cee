import type { IncomingMessage } from 'node:http'
import express from 'express'
import type { Router } from 'express'
import type { Provider } from 'oidc-provider'
import type { Config } from '../config/config.ts'
import { Failure } from '../errors/failure.ts'
import type { Context } from '../http/context.ts'
import type { CreateContext } from '../http/request.ts'
import { targetOf } from '../http/request.ts'
import { consentPage } from './consent-page.ts'
import { createOauthProvider, oauthListener } from './oauth-provider.ts'

const paths = {
  '/.well-known/oauth-authorization-server': 'metadata',
  '/.well-known/openid-configuration': 'metadata',
  '/oauth/authorize': 'authorize',
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
  { publicUrl, host }: Pick<Config, 'publicUrl' | 'host'>,
  createContext: CreateContext,
): Router {
  const made = new Map<string, { provider: Provider; answer: ReturnType<typeof oauthListener> }>()
  const serverFor = ({ socket }: IncomingMessage) => {
    const issuer = publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${socket.localPort}`
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
  for (const [path, name] of Object.entries(paths))
    router.all([path, `${path}/:uid`], async (request, response, next) => {
      if (request.params['uid'] !== undefined && name !== 'authorize') return next()
      if (request.facts) request.facts.operation = `connections.${name}`
      const { provider, answer } = serverFor(request)
      if (name === 'authorize' && request.params['uid'] === undefined) {
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
        request.url = askingForConsent(request.url)
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
    const access = { operation: 'connections.revoke', realUserId, outcome: 'ok', isChange: true }
    ctx.trail.note(ctx, { actor: { kind: 'client', id }, ...access })
  }
}

/**
 * The library drops the scope `offline_access` silently unless consent is asked for (OpenID Connect Core, 11), so this asks for
 * it in the service's place.
 */
function askingForConsent(url: string): string {
  const { path, query } = targetOf({ url })
  const parameters = new URLSearchParams(query)
  const prompt = parameters.get('prompt') ?? ''
  const isOffline = (parameters.get('scope') ?? '').split(' ').includes('offline_access')
  if (!isOffline || /\b(consent|none)\b/.test(prompt) || parameters.getAll('prompt').length > 1) return url
  parameters.set('prompt', `${prompt} consent`.trim())
  return `${path}?${parameters.toString()}`
}
