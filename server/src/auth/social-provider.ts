import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import type { RemoteJWKSet } from 'jose'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { SocialProvider } from '../config/social-providers.ts'

/** How long an issuer may take to answer: a parent is waiting in front of the app. */
const FETCH_MS = 2500
/** How long its discovery document is believed, and how long after a failure it is not asked again. */
const DISCOVERY_MS = 3_600_000
const FAILURE_MS = 60_000

/** Only algorithms of public keys. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

/** Who someone is at an issuer. */
export interface Identity {
  issuer: string
  subject: string
}

export interface SocialProviders {
  /**
   * Whom an ID token speaks of. `unknown`: no such provider; `invalid`: not a token to trust; `unavailable`: the
   * issuer's keys are out of reach.
   */
  verify(
    provider: string,
    idToken: string,
    nonce: string | undefined,
  ): Promise<Identity | 'unknown' | 'invalid' | 'unavailable'>
}

declare module '../http/context.ts' {
  interface Context {
    socialProviders: SocialProviders
  }
}

export function createSocialProviders(configured: readonly SocialProvider[], log: Logger): SocialProviders {
  const providers = new Map(configured.map((each) => [each.name, { ...each, keys: issuerKeys(each.issuer) }]))
  return {
    async verify(name, idToken, nonce) {
      const provider = providers.get(name)
      if (!provider) return 'unknown'
      try {
        const { payload } = await jwtVerify(idToken, await provider.keys(), {
          algorithms: ALGORITHMS,
          issuer: issuerNames(provider.issuer),
          audience: [...provider.clientIds],
          requiredClaims: ['sub', 'iat', 'exp'],
          clockTolerance: 5,
        })
        // Both or neither: a token made for a nonce is worth nothing to someone who does not know it.
        return payload.sub && payload.nonce === nonce
          ? { issuer: provider.issuer, subject: payload.sub }
          : 'invalid'
      } catch (error) {
        if (!isUnavailable(error)) return 'invalid'
        log.warn({ err: error, provider: name }, 'sign-in provider not available')
        return 'unavailable'
      }
    },
  }
}

/** Google writes its name both ways (its "OpenID Connect" page, ID token claims). */
const issuerNames = (issuer: string) =>
  issuer === 'https://accounts.google.com' ? [issuer, 'accounts.google.com'] : [issuer]

/** The errors that jose throws for a token; any other, and its timeout, comes from fetching the keys. */
const isUnavailable = (error: unknown) =>
  !(error instanceof errors.JOSEError) ||
  error instanceof errors.JWKSTimeout ||
  error instanceof errors.JWKSInvalid ||
  // The code jose gives an answer that is not 200 or no JSON.
  error.code === 'ERR_JOSE_GENERIC'

const discovery = z.object({ issuer: z.string(), jwks_uri: z.url() })

/** The key set of an issuer, found by OpenID Connect Discovery: asked once at a time, kept for an hour, kept on when it fails. */
function issuerKeys(issuer: string): () => Promise<RemoteJWKSet> {
  let known: { keys: RemoteJWKSet; uri: string; until: number } | undefined
  let asking: Promise<RemoteJWKSet> | undefined

  const ask = async () => {
    const response = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {
      redirect: 'error',
      signal: AbortSignal.timeout(FETCH_MS),
    })
    if (!response.ok) throw new Error(`${issuer} answered ${response.status}`)
    const document = discovery.parse(await response.json())
    const uri = new URL(document.jwks_uri)
    if (document.issuer !== issuer) throw new Error(`${issuer} says it is another issuer`)
    if (uri.protocol !== new URL(issuer).protocol)
      throw new Error(`${issuer} has its keys at ${uri.protocol}`)
    // A new set would forget its keys and its cool-down.
    const keys = known?.uri === uri.href ? known.keys : createRemoteJWKSet(uri, { timeoutDuration: FETCH_MS })
    known = { keys, uri: uri.href, until: Date.now() + DISCOVERY_MS }
    return keys
  }

  return async () => {
    if (known && known.until > Date.now()) return known.keys
    asking ??= ask().finally(() => (asking = undefined))
    return asking.catch((error: unknown) => {
      if (!known) throw error
      known.until = Date.now() + FAILURE_MS
      return known.keys
    })
  }
}
