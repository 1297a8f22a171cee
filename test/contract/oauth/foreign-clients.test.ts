import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import * as openid from 'openid-client'
import passport from 'passport'
import { Strategy } from 'passport-oauth2'
import { AuthorizationCode, ClientCredentials } from 'simple-oauth2'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { AddedClient } from '@companion/server/oauth/manage-clients.ts'
import { addChild, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { addService, consentAt, createBrowser, REDIRECT } from '../../support/oauth.ts'
import { useServer } from '../../support/server.ts'

/* The clients that services take, with their defaults but for what OAuth 2.1 asks of all: PKCE. */

const server = useServer()
const scope = 'child:read offline_access'

let parent: Account
let child: number
beforeAll(async () => {
  parent = await signUp(server)
  child = (await addChild(server, parent.token)).real_user_id
})

const consent = (url: string | URL) =>
  consentAt(url, server, createBrowser(server.url), parent, { children: [child] })
const childrenOf = async (token: unknown) => {
  const { status, body } = await server.get('/api/v1/beta/user/real-user', { token: String(token) })
  return status === 200 ? body.map(({ id }: { id: number }) => id) : status
}

describe('openid-client', () => {
  const discover = (client: AddedClient) =>
    openid.discovery(new URL(server.url), client.client_id, client.client_secret, undefined, {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    })

  test.each([
    ['with a secret, which it sends in the body', { is_secret_in_body: true }],
    ['without one', { is_public: true }],
  ])('%s asks a parent, refreshes, introspects and revokes', async (_how, fields) => {
    const client = await addService(server, fields)
    const config = await discover(client)
    const pkceCodeVerifier = openid.randomPKCECodeVerifier()
    const expectedState = openid.randomState()
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT,
      scope,
      state: expectedState,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    })
    const checks = { pkceCodeVerifier, expectedState }
    const first = await openid.authorizationCodeGrant(config, await consent(url), checks)
    expect(await childrenOf(first.access_token)).toEqual([child])
    const next = await openid.refreshTokenGrant(config, first.refresh_token ?? '')
    expect(await childrenOf(next.access_token)).toEqual([child])
    if (client.client_secret !== undefined)
      expect(await openid.tokenIntrospection(config, next.access_token)).toMatchObject({ active: true })
    await openid.tokenRevocation(config, next.refresh_token ?? '')
    expect(await childrenOf(next.access_token)).toBe(401)
  })

  test('gets tokens of its own', async () => {
    const config = await discover(await addService(server, { is_secret_in_body: true }))
    const { access_token } = await openid.clientCredentialsGrant(config, { scope: 'child:read' })
    expect(await childrenOf(access_token)).toEqual([])
  })

  test('finds OpenID Connect, and verifies the ID token that it gets', async () => {
    const { client_id, client_secret } = await addService(server, { is_secret_in_body: true })
    const config = await openid.discovery(new URL(server.url), client_id, client_secret, undefined, {
      execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
    })
    const pkceCodeVerifier = openid.randomPKCECodeVerifier()
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT,
      scope: 'openid child:read',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    })
    const tokens = await openid.authorizationCodeGrant(config, await consent(url), { pkceCodeVerifier })
    expect(tokens.claims()).toMatchObject({ iss: server.url, aud: client_id, sub: expect.any(String) })
    expect(tokens.claims()).not.toHaveProperty('fhirUser')
  })

  test('is told how it is registered, when it proves itself in another way', async () => {
    const config = await discover(await addService(server))
    await expect(openid.clientCredentialsGrant(config, { scope: 'child:read' })).rejects.toMatchObject({
      error: 'invalid_client',
      error_description: expect.stringContaining('by HTTP Basic (client_secret_basic)'),
    })
  })
})

describe('passport-oauth2', () => {
  /** A web application, and one browser that visits it. */
  async function application({ client_id, client_secret = '' }: AddedClient, options: { pkce: boolean }) {
    const callback = { url: '' }
    const site = createServer((request, response) => {
      const { searchParams, pathname } = new URL(request.url ?? '', callback.url)
      const answer = (status: number, body: unknown) => response.writeHead(status).end(JSON.stringify(body))
      // What express and its sessions add to a request.
      const visit = Object.assign<IncomingMessage, object>(request, {
        query: Object.fromEntries(searchParams),
        session,
      })
      if (pathname !== '/' && pathname !== '/callback') return answer(404, null)
      const authenticate: unknown = application.authenticate('oauth2', {
        session: false,
        failWithError: true,
      })
      if (typeof authenticate !== 'function') return answer(500, null)
      return authenticate(visit, response, (error: unknown) =>
        error
          ? answer(401, String(Object(error).oauthError?.data ?? error))
          : answer(200, Object(visit).user),
      )
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => site.once('listening', resolve))
    onTestFinished(() => void site.close())
    const address = site.address()
    callback.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    const session = {}
    const application = new passport.Passport()
    application.use(
      new Strategy(
        {
          authorizationURL: `${server.url}/oauth/authorize`,
          tokenURL: `${server.url}/oauth/token`,
          clientID: client_id,
          clientSecret: client_secret,
          callbackURL: `${callback.url}/callback`,
          scope,
          state: true,
          ...options,
        },
        (accessToken: string, refreshToken: string, _profile: unknown, done: (...told: unknown[]) => void) =>
          done(null, { accessToken, refreshToken }),
      ),
    )
    const { headers } = await fetch(callback.url, { redirect: 'manual' })
    return headers.get('location') ?? ''
  }
  const register = (is_secret_in_body: boolean) =>
    addService(server, { is_secret_in_body, redirect_uris: ['http://127.0.0.1/callback'] })

  test('signs a parent in with its secret in the body', async () => {
    const location = await application(await register(true), { pkce: true })
    const response = await fetch(await consent(location))
    const { accessToken, refreshToken } = Object(await response.json())
    expect(await childrenOf(accessToken)).toEqual([child])
    expect(refreshToken).toBeTypeOf('string')
  })

  test('is told how it is registered, where that is by HTTP Basic', async () => {
    const location = await application(await register(false), { pkce: true })
    const response = await fetch(await consent(location))
    expect(response.status).toBe(401)
    expect(await response.text()).toContain('registered to do it by HTTP Basic (client_secret_basic)')
  })

  test('is told that PKCE is missing', async () => {
    const location = await application(await register(true), { pkce: false })
    const { searchParams } = new URL((await createBrowser(server.url).ask(location)).location)
    expect(searchParams.get('error')).toBe('invalid_request')
    expect(searchParams.get('error_description')).toContain('PKCE')
  })
})

describe('simple-oauth2', () => {
  const options = ({ client_id, client_secret = '' }: AddedClient) => ({
    client: { id: client_id, secret: client_secret },
    auth: { tokenHost: server.url, tokenPath: '/oauth/token', revokePath: '/oauth/revoke' },
  })

  test('asks a parent and refreshes by HTTP Basic', async () => {
    const { client: as, auth } = options(await addService(server))
    const client = new AuthorizationCode({ client: as, auth: { ...auth, authorizePath: '/oauth/authorize' } })
    const verifier = openid.randomPKCECodeVerifier()
    const url = new URL(client.authorizeURL({ redirect_uri: REDIRECT, scope, state: 'state' }))
    url.searchParams.set('code_challenge', await openid.calculatePKCECodeChallenge(verifier))
    url.searchParams.set('code_challenge_method', 'S256')
    const code = (await consent(url)).searchParams.get('code') ?? ''
    const asked = { code, redirect_uri: REDIRECT, code_verifier: verifier }
    const first = await client.getToken(asked)
    expect(await childrenOf(first.token['access_token'])).toEqual([child])
    const next = await first.refresh()
    expect(await childrenOf(next.token['access_token'])).toEqual([child])
    // It takes nothing but JSON for a response, and RFC 7009 wants none: it complains of what has been done.
    await expect(next.revoke('refresh_token')).rejects.toThrow('content-type is not JSON')
    expect(await childrenOf(next.token['access_token'])).toBe(401)
  })

  test('gets tokens of its own', async () => {
    const client = new ClientCredentials(options(await addService(server)))
    const { token } = await client.getToken({ scope: 'child:read' })
    expect(await childrenOf(token['access_token'])).toEqual([])
  })
})

describe('auth.js', () => {
  // Its types would bring those of the DOM into every file that is checked with this one.
  const name: string = '@auth/core'
  const load = (): Promise<{ Auth: (request: Request, config: object) => Promise<Response> }> => import(name)

  test('signs a parent in by HTTP Basic, and keeps the tokens in its session', async () => {
    const { Auth } = await load()
    const site = 'https://study.example.org'
    const { client_id, client_secret = '' } = await addService(server, {
      redirect_uris: [`${site}/auth/callback/companion`],
    })
    const kept: unknown[] = []
    const config = {
      basePath: '/auth',
      secret: 'a secret of the study, which signs its own cookies',
      trustHost: true,
      providers: [
        {
          id: 'companion',
          name: 'Companion',
          type: 'oauth',
          issuer: server.url,
          clientId: client_id,
          clientSecret: client_secret,
          authorization: { url: `${server.url}/oauth/authorize`, params: { scope } },
          token: `${server.url}/oauth/token`,
          userinfo: {
            url: `${server.url}/api/v1/beta/user/real-user`,
            request: async ({ tokens }: { tokens: { access_token?: string } }) => ({
              children: await childrenOf(tokens.access_token),
            }),
          },
          profile: ({ children }: { children: unknown }) => ({ id: String(children) }),
        },
      ],
      callbacks: {
        jwt({ token, account }: { token: object; account?: Record<string, unknown> }) {
          if (account) kept.push(account['refresh_token'], account['providerAccountId'])
          return token
        },
      },
    }
    const cookies = new Map<string, string>()
    const visit = async (url: string | URL, form?: Record<string, string>) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const body = form && new URLSearchParams(form)
      const request = new Request(new URL(url, site), {
        headers: { cookie },
        ...(body ? { method: 'POST', body } : {}),
      })
      const response = await Auth(request, config)
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        cookies.set(name, value)
      }
      return response
    }
    const { csrfToken } = Object(await (await visit('/auth/csrf')).json())
    const asked = await visit('/auth/signin/companion', { csrfToken, callbackUrl: `${site}/study` })
    const came = await visit(await consent(asked.headers.get('location') ?? ''))
    expect(came.headers.get('location')).toBe(`${site}/study`)
    expect(kept).toEqual([expect.any(String), String(child)])
    expect([...cookies.keys()].join()).toContain('authjs.session-token')
  })
})
