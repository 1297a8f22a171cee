import type { AccessTokenProvider } from '@companion/sdk'

/*
 * Access tokens for `createCompanion({ accessToken })`, for services that call with what parents have granted. When it runs, it
 * imports nothing. It runs where `fetch` and WebCrypto are: Node.js, Deno, Bun, workers.
 */

export type { AccessTokenProvider }

interface Common {
  /** Address of the service, as `createCompanion` takes it. With `privateKey` it must be the one that its metadata names. */
  baseUrl: string
  /** The name that the operator of the service has given yours. */
  clientId: string
  /** Used instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
}

/** A private key as a JWK; `kid` names it where the operator knows several of yours. */
export interface PrivateKey {
  kty: string
  kid?: string
  alg?: string
  crv?: string
  [parameter: string]: string | undefined
}

export type ClientCredentials = Common & {
  /** What the tokens are for, such as `usage:read`: no more than the operator has allowed. */
  scopes: readonly string[]
} & (
    | {
        /** Sent by HTTP Basic (`client_secret_basic`). */
        clientSecret: string
        privateKey?: undefined
      }
    | {
        /** Signs who you are (`private_key_jwt`): an RSA, EC (P-256, P-384) or Ed25519 key. */
        privateKey: PrivateKey
        clientSecret?: undefined
      }
  )

export interface RefreshTokens extends Common {
  /** Of a client that is not public; sent by HTTP Basic. */
  clientSecret?: string | undefined
  /** The newest refresh token that you have. */
  refreshToken: string
  /**
   * Keeps the next refresh token. It works once, so it is kept before its access token is used; while this fails, so do calls.
   * Never let two processes use one chain of tokens: who uses one a second time ends the chain.
   */
  save: (refreshToken: string) => Promise<unknown> | void
}

/** An error of the token endpoint, such as `invalid_client` or `invalid_grant`. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  /** The word for programs, as RFC 6749 lists them. */
  readonly code: string
  /** The HTTP status. */
  readonly status: number

  constructor(status: number, code: string, description: string) {
    super(description === '' ? code : `${code}: ${description}`)
    this.status = status
    this.code = code
  }
}

interface Tokens {
  accessToken: string
  refreshToken: string | undefined
  /** When it should be renewed, in milliseconds since 1970. */
  renewAt: number
}

/** A token is renewed this long before it ends, or after half of its life if that is later. */
const EARLY_MS = 60_000
const TRY_MS = 30_000
/** Milliseconds before the second and the third attempt. */
const PAUSES = [500, 2000]

/**
 * Gets tokens of your service itself, which stand for all that parents have granted to it (`client_credentials`). All calls
 * share one until shortly before its end. An attempt that does not reach the service is repeated twice.
 */
export function clientCredentials(options: ClientCredentials): AccessTokenProvider {
  const { scopes, clientId, clientSecret, privateKey } = options
  return cached(() =>
    repeated(async () => {
      const body = { grant_type: 'client_credentials', scope: scopes.join(' ') }
      if (clientSecret !== undefined) return tokens(options, body, basic(clientId, clientSecret))
      const assertion = await signedAssertion(privateKey, { clientId, audience: base(options) })
      return tokens(options, {
        ...body,
        client_id: clientId,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: assertion,
      })
    }),
  )
}

/**
 * Gets tokens of what one parent has granted, by the chain of its refresh tokens. `OAuthError` with the code `invalid_grant`
 * means that the grant has ended: ask the parent again.
 */
export function refreshTokens(options: RefreshTokens): AccessTokenProvider {
  const { clientId, clientSecret, save } = options
  let { refreshToken } = options
  let unsaved: Tokens | undefined
  return cached(async () => {
    if (!unsaved) {
      const body = { grant_type: 'refresh_token', refresh_token: refreshToken }
      unsaved =
        clientSecret === undefined
          ? await tokens(options, { ...body, client_id: clientId })
          : await tokens(options, body, basic(clientId, clientSecret))
      refreshToken = unsaved.refreshToken ?? refreshToken
    }
    await save(refreshToken)
    const saved = unsaved
    unsaved = undefined
    return saved
  })
}

/** Keeps what `get` answers while it is good. All who ask while it is being got wait for the same. */
function cached(get: () => Promise<Tokens>): AccessTokenProvider {
  let kept: Tokens | undefined
  let getting: Promise<Tokens> | undefined
  return async ({ expired }) => {
    if (expired && !getting) kept = undefined
    if (kept && Date.now() < kept.renewAt) return kept.accessToken
    getting ??= get().finally(() => (getting = undefined))
    kept = await getting
    return kept.accessToken
  }
}

async function repeated(get: () => Promise<Tokens>): Promise<Tokens> {
  for (const pause of PAUSES) {
    try {
      return await get()
    } catch (error) {
      if (error instanceof OAuthError && error.status < 500 && error.status !== 429) throw error
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
  return get()
}

const base = ({ baseUrl }: Common) => baseUrl.replace(/\/+$/, '')

/** Both parts are encoded as in a form (RFC 6749, 2.3.1). */
const basic = (clientId: string, secret: string): Record<string, string> => ({
  authorization: `Basic ${btoa([clientId, secret].map((each) => new URLSearchParams({ each }).toString().slice(5)).join(':'))}`,
})

async function tokens(
  options: Common,
  body: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Tokens> {
  const send = options.fetch ?? globalThis.fetch
  const askedAt = Date.now()
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(), TRY_MS)
  const [response, content] = await (async () => {
    const response = await send(`${base(options)}/oauth/token`, {
      method: 'POST',
      headers: { accept: 'application/json', ...headers },
      body: new URLSearchParams(body),
      signal: stop.signal,
    })
    const content: unknown = await response.json()
    return [response, content] as const
  })()
    .catch((cause: unknown) => {
      // `isOffline` of `@companion/sdk` knows it by this name.
      throw Object.assign(new Error('The token endpoint could not be reached', { cause }), {
        name: 'CompanionUnreachable',
      })
    })
    .finally(() => clearTimeout(timer))
  const text = (name: string) => {
    const value: unknown =
      typeof content === 'object' && content !== null ? Reflect.get(content, name) : undefined
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
  }
  const accessToken = text('access_token')
  if (!response.ok || accessToken === undefined)
    throw new OAuthError(
      response.status,
      text('error') ?? `status ${response.status}`,
      text('error_description') ?? '',
    )
  const lifeMs = Number(text('expires_in') ?? 0) * 1000
  return {
    accessToken,
    refreshToken: text('refresh_token'),
    renewAt: askedAt + Math.max(lifeMs - EARLY_MS, lifeMs / 2),
  }
}

interface Signing {
  alg: string
  key: { name: string; namedCurve: string } | { name: string; hash: string } | { name: string }
  sign: { name: string; hash: string } | { name: string; saltLength: number } | { name: string }
}

function signingOf({ kty, crv, alg }: PrivateKey): Signing {
  if (kty === 'OKP') return { alg: 'EdDSA', key: { name: 'Ed25519' }, sign: { name: 'Ed25519' } }
  if (kty === 'EC') {
    const bits = crv === 'P-384' ? 384 : 256
    const name = 'ECDSA'
    return { alg: `ES${bits}`, key: { name, namedCurve: `P-${bits}` }, sign: { name, hash: `SHA-${bits}` } }
  }
  if (kty !== 'RSA') throw new TypeError('privateKey must be a JWK of type RSA, EC or OKP')
  const isPss = alg === 'PS256'
  const hash = alg === 'RS384' ? 'SHA-384' : 'SHA-256'
  const name = isPss ? 'RSA-PSS' : 'RSASSA-PKCS1-v1_5'
  return {
    alg: isPss || alg === 'RS384' ? alg : 'RS256',
    key: { name, hash },
    sign: isPss ? { name, saltLength: 32 } : { name },
  }
}

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** What says who a client is, for a minute and for this audience alone (RFC 7523). */
async function signedAssertion(
  jwk: PrivateKey,
  { clientId, audience }: { clientId: string; audience: string },
): Promise<string> {
  const { alg, key, sign } = signingOf(jwk)
  const seconds = Math.floor(Date.now() / 1000)
  const encoded = (part: object) => base64url(new TextEncoder().encode(JSON.stringify(part)))
  const content = [
    encoded({ alg, typ: 'JWT', ...(jwk.kid === undefined ? {} : { kid: jwk.kid }) }),
    encoded({
      iss: clientId,
      sub: clientId,
      aud: audience,
      jti: base64url(crypto.getRandomValues(new Uint8Array(16))),
      iat: seconds,
      exp: seconds + 60,
    }),
  ].join('.')
  const imported = await crypto.subtle.importKey('jwk', jwk, key, false, ['sign'])
  const signature = await crypto.subtle.sign(sign, imported, new TextEncoder().encode(content))
  return `${content}.${base64url(new Uint8Array(signature))}`
}
