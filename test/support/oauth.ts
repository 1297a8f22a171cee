import { randomBytes, randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { CryptoKey } from 'jose'
import * as oauth from 'oauth4webapi'
import { storeGrant } from '@companion/server/grants/grant.ts'
import { addClient } from '@companion/server/oauth/manage-clients.ts'
import type { AddedClient } from '@companion/server/oauth/manage-clients.ts'

import { scopes } from '@companion/server/http/scope.ts'
import type { Account } from './family.ts'
import { PASSWORD } from './password.ts'
import type { TestServer } from './server.ts'

export const REDIRECT = 'https://study.example.org/connected'
export const SERVICE = {
  name: 'Sleep study',
  publisher: 'University Hospital',
  url: 'https://study.example.org',
  contact: 'study@example.org',
  redirect_uris: [REDIRECT],
  scopes: [...scopes],
  is_public: false,
  jwks: null,
}
const insecure = { [oauth.allowInsecureRequests]: true }

/** Adds a service, as an operator does. */
export const addService = (
  { database }: Pick<TestServer, 'database'>,
  fields: Partial<Parameters<typeof addClient>[1]> = {},
): Promise<AddedClient> => database.transaction((sql) => addClient(sql, { ...SERVICE, ...fields }))

interface Assertion {
  key?: CryptoKey
  jti?: string
  aud?: string | string[]
  life?: string
}

/** Adds a service that proves who it is by its own key (RFC 7523), and returns how it asks for a token for itself. */
export async function addSigningService(
  server: Pick<TestServer, 'database' | 'post' | 'url'>,
  { alg = 'ES256', scope = 'child:read' } = {},
) {
  const { privateKey, publicKey } = await generateKeyPair(alg)
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg, use: 'sig' }
  const { client_id, client_secret } = await addService(server, { redirect_uris: [], jwks: { keys: [jwk] } })
  const askToken = async (
    { key = privateKey, jti = randomUUID(), aud = server.url, life = '1m' }: Assertion = {},
    headers: Record<string, string> = {},
  ) =>
    server.post('/oauth/token', {
      headers,
      form: {
        grant_type: 'client_credentials',
        scope,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: await new SignJWT({})
          .setProtectedHeader({ alg, kid: 'one', typ: 'JWT' })
          .setIssuer(client_id)
          .setSubject(client_id)
          .setAudience(aud)
          .setJti(jti)
          .setIssuedAt()
          .setExpirationTime(life)
          .sign(key),
      },
    })
  return { client_id, client_secret, askToken }
}

/** A browser that keeps cookies and follows nothing by itself. */
export function createBrowser(origin: string, language = 'en') {
  const cookies = new Map<string, string>()
  return {
    cookies,
    async ask(
      url: string | URL,
      form?: Record<string, string | string[]>,
      headers: Record<string, string> = {},
    ) {
      const body = new URLSearchParams()
      for (const [name, value] of Object.entries(form ?? {}))
        for (const each of [value].flat()) body.append(name, each)
      const response = await fetch(new URL(url, origin), {
        method: form ? 'POST' : 'GET',
        redirect: 'manual',
        headers: {
          'accept-language': language,
          cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          ...headers,
        },
        ...(form ? { body } : {}),
      })
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (value === '') cookies.delete(name)
        else cookies.set(name, value)
      }
      const location = response.headers.get('location')
      return {
        status: response.status,
        headers: response.headers,
        location: location === null ? '' : new URL(location, origin).href,
        page: await response.text(),
      }
    },
  }
}
export type TestBrowser = ReturnType<typeof createBrowser>

export interface Request {
  scope?: string
  prompt?: string
  redirect_uri?: string
  children?: readonly number[]
  period?: string
}

/** Lets the parent sign in and consent in `browser`. Resolves to where the browser is sent in the end. */
export async function consentAt(
  authorizeUrl: string | URL,
  server: Pick<TestServer, 'url'>,
  browser: TestBrowser,
  account: Pick<Account, 'email'>,
  { children = [], period = 'always' }: Pick<Request, 'children' | 'period'>,
): Promise<URL> {
  let at = (await browser.ask(authorizeUrl)).location
  for (let steps = 0; steps < 8 && at.startsWith(server.url); steps += 1) {
    const { page, location, status } = await browser.ask(at)
    if (status >= 400) throw new Error(`${at} answers ${status}: ${page}`)
    if (location) at = location
    else {
      const form = page.includes('name="password"')
        ? { email: account.email, password: PASSWORD, action: 'go' }
        : { child: children.map(String), period, action: 'go' }
      const sent = await browser.ask(at, form)
      if (!sent.location) throw new Error(`Refused with ${sent.status}: ${sent.page}`)
      at = sent.location
    }
  }
  return new URL(at)
}

/** Another service, by an independent client of OAuth. */
export async function connect(server: Pick<TestServer, 'url'>, { client_id, client_secret }: AddedClient) {
  const issuer = new URL(server.url)
  const as = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
  )
  const client = { client_id }
  const auth = client_secret === undefined ? oauth.None() : oauth.ClientSecretBasic(client_secret)
  const verifier = oauth.generateRandomCodeVerifier()
  const state = randomBytes(16).toString('base64url')

  async function authorizeUrl({ scope = 'child:read', prompt, redirect_uri = REDIRECT }: Request = {}) {
    const url = new URL(as.authorization_endpoint ?? '')
    url.search = new URLSearchParams({
      client_id,
      redirect_uri,
      response_type: 'code',
      scope,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(prompt === undefined ? {} : { prompt }),
    }).toString()
    return url
  }

  return {
    as,
    verifier,
    state,
    authorizeUrl,
    consent: async (browser: TestBrowser, account: Pick<Account, 'email'>, request: Request = {}) =>
      consentAt(await authorizeUrl(request), server, browser, account, request),
    /** Exchanges the code that came to `redirect`. */
    exchange: async (redirect: URL, redirect_uri = REDIRECT, with_verifier = verifier) => {
      const parameters = oauth.validateAuthResponse(as, client, redirect, state)
      const response = await oauth.authorizationCodeGrantRequest(
        as,
        client,
        auth,
        parameters,
        redirect_uri,
        with_verifier,
        insecure,
      )
      return oauth.processAuthorizationCodeResponse(as, client, response)
    },
    refresh: async (token: string) => {
      const response = await oauth.refreshTokenGrantRequest(as, client, auth, token, insecure)
      return oauth.processRefreshTokenResponse(as, client, response)
    },
    clientCredentials: async (scope: string) => {
      const response = await oauth.clientCredentialsGrantRequest(as, client, auth, { scope }, insecure)
      return oauth.processClientCredentialsResponse(as, client, response)
    },
    revoke: async (token: string) => {
      return oauth.processRevocationResponse(await oauth.revocationRequest(as, client, auth, token, insecure))
    },
    introspect: async (token: string) => {
      const response = await oauth.introspectionRequest(as, client, auth, token, insecure)
      return oauth.processIntrospectionResponse(as, client, response)
    },
  }
}

/** Adds a service, lets the parent consent and resolves to its tokens. */
export async function granted(
  server: TestServer,
  account: Pick<Account, 'email'>,
  request: Request,
  service?: AddedClient,
) {
  const added = service ?? (await addService(server))
  const connection = await connect(server, added)
  const tokens = await connection.exchange(
    await connection.consent(createBrowser(server.url), account, request),
  )
  return { ...connection, service: added, tokens, token: tokens.access_token }
}

/** Grants a service children, without the pages that a parent would see. Resolves to the id of the grant. */
export async function grantTo(
  { database }: Pick<TestServer, 'database'>,
  consent: Omit<Parameters<typeof storeGrant>[1], 'expiresAt'>,
): Promise<number> {
  const id = await database.transaction((sql) => storeGrant(sql, { ...consent, expiresAt: null }))
  if (id === undefined) throw new Error('Not granted')
  return id
}

/** The same of one child, for a service of its own. */
export async function grantDirectly(
  server: Pick<TestServer, 'database'>,
  { rootUserId, child }: { rootUserId: number; child: number },
): Promise<number> {
  const { client_id } = await addService(server)
  return grantTo(server, { rootUserId, clientId: client_id, scopes: ['child:read'], children: [child] })
}
