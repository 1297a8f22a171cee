import { createHash } from 'node:crypto'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import type { RemoteJWKSet } from 'jose'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { SocialProvider } from '../../config/social-providers.ts'

/** How long an issuer may take to answer: a parent is waiting in front of the app. */
const FETCH_MS = 2500
/** How long its discovery document is believed, and how long after a failure it is not asked again. */
const DISCOVERY_MS = 3_600_000
const FAILURE_MS = 60_000

/** Only algorithms of public keys. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

/** The identity of a person at an issuer. */
export interface Identity {
  issuer: string
  subject: string
}

/** What an ID token says. */
export interface VerifiedIdentity extends Identity {
  /** The address that the issuer has verified; undefined if it has verified none. */
  email: string | undefined
  issuedAt: Date
}

/** `unknown`: no such provider; `invalid`: not a token or code to trust; `unavailable`: the issuer is out of reach. */
type IdentityError = 'unknown' | 'invalid' | 'unavailable'

/** A browser's sign-in at an issuer (authorization code with PKCE). All but the address are secrets of this one attempt. */
export interface SignInAttempt {
  /** Where the browser comes back to. */
  redirectUri: string
  state: string
  nonce: string
  verifier: string
}

/** What the browser has brought back. */
export interface ProviderCallback {
  code: string
  /** The issuer that is said to have given the code (RFC 9207); not every issuer says so. */
  iss: string | undefined
}

export interface SocialProviders {
  /** The person that an ID token is about. */
  verify(
    provider: string,
    idToken: string,
    nonce: string | undefined,
  ): Promise<VerifiedIdentity | IdentityError>
  /** The providers by which a browser can sign in on a page of this service. */
  web: readonly string[]
  /** Where the browser signs in. */
  begin(provider: string, attempt: SignInAttempt): Promise<URL | IdentityError>
  /** The person that a code is about, which the browser has brought back. */
  finish(
    provider: string,
    attempt: SignInAttempt,
    returned: ProviderCallback,
  ): Promise<VerifiedIdentity | IdentityError>
}

declare module '../../http/context.ts' {
  interface Context {
    socialProviders: SocialProviders
  }
}

export function createSocialProviders(configured: readonly SocialProvider[], log: Logger): SocialProviders {
  const providers = new Map(configured.map((each) => [each.name, { ...each, ask: askIssuer(each.issuer) }]))
  type Provider = NonNullable<ReturnType<typeof providers.get>>

  /** Does `work` with a provider, if there is one. */
  async function reach<Done>(
    name: string,
    work: (provider: Provider) => Promise<Done | 'unknown' | 'invalid'>,
  ) {
    const provider = providers.get(name)
    if (!provider) return 'unknown'
    try {
      return await work(provider)
    } catch (error) {
      if (!isUnavailable(error)) return 'invalid'
      log.warn({ err: error, provider: name }, 'sign-in provider not available')
      return 'unavailable'
    }
  }

  async function identityIn(
    { issuer, ask }: Provider,
    { idToken, nonce, audience }: { idToken: string; nonce: string | undefined; audience: string[] },
  ): Promise<VerifiedIdentity | 'invalid'> {
    const { keys } = await ask()
    const { payload } = await jwtVerify(idToken, keys, {
      algorithms: ALGORITHMS,
      issuer: issuerNames(issuer),
      audience,
      requiredClaims: ['sub', 'iat', 'exp'],
      clockTolerance: 5,
    })
    // Both or neither: a token made for a nonce is worth nothing to someone who does not know it.
    if (!payload.sub || payload.nonce !== nonce) return 'invalid'
    const { email, email_verified } = verifiedEmail.parse(payload)
    return {
      issuer,
      subject: payload.sub,
      email: email_verified ? email : undefined,
      issuedAt: new Date((payload.iat ?? 0) * 1000),
    }
  }

  return {
    verify: (name, idToken, nonce) =>
      reach(name, (provider) => identityIn(provider, { idToken, nonce, audience: [...provider.clientIds] })),
    web: configured.filter(({ web }) => web).map(({ name }) => name),
    begin: (name, { redirectUri, state, nonce, verifier }) =>
      reach(name, async ({ web, ask }) => {
        if (!web) return 'unknown'
        const { authorization_endpoint } = await ask()
        const url = new URL(authorization_endpoint ?? '')
        const query = {
          client_id: web.clientId,
          response_type: 'code',
          redirect_uri: redirectUri,
          scope: 'openid',
          state,
          nonce,
          code_challenge: createHash('sha256').update(verifier).digest('base64url'),
          code_challenge_method: 'S256',
        }
        for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
        return url
      }),
    finish: (name, { redirectUri, nonce, verifier }, { code, iss }) =>
      reach(name, async (provider) => {
        const { web } = provider
        if (!web) return 'unknown'
        const { token_endpoint, saysIssuer } = await provider.ask()
        // A code of another issuer is not for this one to see (mix-up).
        if (iss === undefined ? saysIssuer : !issuerNames(provider.issuer).includes(iss)) return 'invalid'
        const response = await fetch(token_endpoint ?? '', {
          method: 'POST',
          redirect: 'error',
          signal: AbortSignal.timeout(FETCH_MS),
          // In the body, because not every issuer reads it in a header.
          body: new URLSearchParams({
            grant_type: 'authorization_code',
            client_id: web.clientId,
            client_secret: web.clientSecret,
            code,
            redirect_uri: redirectUri,
            code_verifier: verifier,
          }),
        })
        const body: unknown = await response.json()
        if (response.status === 400 && refusedCode.safeParse(body).success) return 'invalid'
        if (!response.ok) throw new Error(`${provider.issuer} answered ${response.status}`)
        const { id_token: idToken } = tokens.parse(body)
        return identityIn(provider, { idToken, nonce, audience: [web.clientId] })
      }),
  }
}

/** Apple writes the boolean as a text (its "Sign in with Apple REST API", ID token claims). */
const verifiedEmail = z.object({
  email: z.string().optional().catch(undefined),
  email_verified: z.union([z.boolean(), z.literal('true').transform(() => true)]).catch(false),
})

const tokens = z.object({ id_token: z.string() })
/** Any other error of an issuer (RFC 6749, 5.2) is an issue of the configuration. */
const refusedCode = z.object({ error: z.literal('invalid_grant') })

/** Google writes its name both ways (its "OpenID Connect" page, ID token claims). */
const issuerNames = (issuer: string) =>
  issuer === 'https://accounts.google.com' ? [issuer, 'accounts.google.com'] : [issuer]

/** The errors that jose throws for a token; any other, and its timeout, comes from fetching the keys. */
const isUnavailable = (error: unknown) =>
  !(error instanceof errors.JOSEError) ||
  error instanceof errors.JWKSTimeout ||
  error instanceof errors.JWKSInvalid ||
  // The code jose gives a response that is not 200 or no JSON.
  error.code === 'ERR_JOSE_GENERIC'

const discovery = z.object({
  issuer: z.string(),
  jwks_uri: z.url(),
  authorization_endpoint: z.url().optional(),
  token_endpoint: z.url().optional(),
  authorization_response_iss_parameter_supported: z.boolean().default(false),
})

/** What is known of an issuer. */
interface Issuer {
  keys: RemoteJWKSet
  authorization_endpoint: string | undefined
  token_endpoint: string | undefined
  /** Whether it names itself whenever it sends a browser back. */
  saysIssuer: boolean
}

/** The key set of an issuer and its addresses, found by OpenID Connect Discovery: asked once at a time, kept for an hour, kept on when it fails. */
function askIssuer(issuer: string): () => Promise<Issuer> {
  let known: (Issuer & { uri: string; until: number }) | undefined
  let asking: Promise<Issuer> | undefined

  const ask = async () => {
    const response = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {
      redirect: 'error',
      signal: AbortSignal.timeout(FETCH_MS),
    })
    if (!response.ok) throw new Error(`${issuer} answered ${response.status}`)
    const document = discovery.parse(await response.json())
    const { jwks_uri, authorization_endpoint, token_endpoint } = document
    const uri = new URL(jwks_uri)
    if (document.issuer !== issuer) throw new Error(`${issuer} says it is another issuer`)
    for (const place of [jwks_uri, authorization_endpoint, token_endpoint])
      if (place !== undefined && new URL(place).protocol !== new URL(issuer).protocol)
        throw new Error(`${issuer} is partly at ${new URL(place).protocol}`)
    // A new set would forget its keys and its cool-down.
    const keys = known?.uri === uri.href ? known.keys : createRemoteJWKSet(uri, { timeoutDuration: FETCH_MS })
    const saysIssuer = document.authorization_response_iss_parameter_supported
    const until = Date.now() + DISCOVERY_MS
    known = { keys, authorization_endpoint, token_endpoint, saysIssuer, uri: uri.href, until }
    return known
  }

  return async () => {
    if (known && known.until > Date.now()) return known
    asking ??= ask().finally(() => (asking = undefined))
    return asking.catch((error: unknown) => {
      if (!known) throw error
      known.until = Date.now() + FAILURE_MS
      return known
    })
  }
}
