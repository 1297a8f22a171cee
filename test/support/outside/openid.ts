import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { JWK, JWTPayload } from 'jose'
import { Provider } from 'oidc-provider'
import { afterAll, beforeAll } from 'vitest'

export const CLIENT_ID = 'companion-app'
/** As whom the service itself sends browsers to the provider. */
export const WEB_CLIENT = { client_id: 'companion-web', client_secret: 'only for tests' }
const REDIRECT = 'https://app.example.com/signed-in'

export interface OpenIdProvider {
  issuer: string
  /** The `SOCIAL_PROVIDERS` in which this provider is called `example`. */
  configuration: string
  /** Signs `login` in through the provider's own pages, as a person would. Resolves to the ID token. */
  signIn: (login: string, nonce: string) => Promise<string>
  /** Makes an ID token that the provider would never issue, signed with its current key. */
  forge: (claims: JWTPayload, header?: Record<string, unknown>) => Promise<string>
  /** The public half of the current key. */
  publicKey: () => JWK
  /** Replaces the signing key. */
  rotate: () => Promise<void>
  /** From now on `instead` answers requests; without it, the provider does again. */
  answer: (instead?: RequestListener) => void
  /** Number of requests to the provider since it started. */
  asked: () => number
}

/** Starts a real OpenID provider, for one test file. */
export function useOpenIdProvider(): OpenIdProvider {
  let running: (OpenIdProvider & { stop: () => Promise<void> }) | undefined
  beforeAll(async () => {
    running = await startOpenIdProvider()
  })
  afterAll(() => running?.stop())
  return new Proxy({} as OpenIdProvider, {
    get: (_target, key) => Reflect.get(running ?? {}, key),
  })
}

export async function startOpenIdProvider(): Promise<OpenIdProvider & { stop: () => Promise<void> }> {
  let handle: (...exchange: Parameters<RequestListener>) => unknown = () => undefined
  let instead: RequestListener | undefined
  let asked = 0
  const server = createServer((request, response) => {
    asked += 1
    if (instead) instead(request, response)
    else void handle(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  let key: Awaited<ReturnType<typeof makeKey>>
  const rotate = async () => {
    key = await makeKey()
    handle = createProvider(issuer, key.jwk).callback()
  }
  await rotate()
  return {
    issuer,
    configuration: JSON.stringify([
      { name: 'example', issuer, client_ids: ['another-app', CLIENT_ID], web: WEB_CLIENT },
    ]),
    signIn: (login, nonce) => signInByPages(issuer, login, nonce),
    forge: (claims, header = {}) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', kid: key.jwk.kid ?? '', ...header })
        .sign(key.privateKey),
    publicKey: () => key.publicJwk,
    rotate,
    answer: (other) => {
      instead = other
    },
    asked: () => asked,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

let made = 0

async function makeKey() {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const marks = { kid: `key-${(made += 1)}`, alg: 'RS256', use: 'sig' }
  return {
    privateKey,
    jwk: { ...(await exportJWK(privateKey)), ...marks },
    publicJwk: { ...(await exportJWK(publicKey)), ...marks },
  }
}

const createProvider = (issuer: string, jwk: JWK) =>
  new Provider(issuer, {
    jwks: { keys: [jwk] },
    cookies: { keys: ['only for tests'] },
    // Given because the provider prints long warnings about its defaults.
    ttl: { Interaction: 600, Session: 600, Grant: 600, IdToken: 600 },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    features: { devInteractions: { enabled: true } },
    clients: [
      {
        client_id: CLIENT_ID,
        redirect_uris: [REDIRECT],
        response_types: ['id_token'],
        grant_types: ['implicit'],
        token_endpoint_auth_method: 'none',
      },
      {
        ...WEB_CLIENT,
        // Of a native client any port of this machine is accepted.
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1/oauth/signed-in'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
  })

/** Signs `login` in where `start` leads, as a person would. Resolves to where the browser is sent in the end. */
export async function signInThere(start: string, login: string): Promise<string> {
  const cookies = new Map<string, string>()
  const ask = async (url: string, form?: Record<string, string>) => {
    const response = await fetch(new URL(url, start), {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form ? { body: new URLSearchParams(form) } : {}),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return { location: response.headers.get('location') ?? '', page: await response.text() }
  }
  let at = (await ask(start)).location
  for (const form of [{ prompt: 'login', login, password: 'x' }, { prompt: 'consent' }]) {
    at = (await ask((await ask(at, form)).location)).location
  }
  return at
}

async function signInByPages(issuer: string, login: string, nonce: string): Promise<string> {
  const query = new URLSearchParams({
    client_id: CLIENT_ID,
    redirect_uri: REDIRECT,
    response_type: 'id_token',
    scope: 'openid',
    nonce,
  })
  const at = await signInThere(`${issuer}/auth?${query.toString()}`, login)
  const token = new URLSearchParams(new URL(at).hash.slice(1)).get('id_token')
  if (!token) throw new Error(`The provider did not sign in: ${at}`)
  return token
}
