import { errors } from 'oidc-provider'

/** The longest life of what a client signs to say who it is, in seconds: what is stolen is soon worth nothing (RFC 7523, 3). */
const LIFE_SECONDS = 300
/** Clocks differ. */
const TOLERANCE_SECONDS = 15

/**
 * Throws for a client assertion that is good for longer, or elsewhere too: its audience is the issuer or the token endpoint, and
 * nobody else, so that who receives one elsewhere cannot use it here. The library has verified it.
 */
export function assertAssertion(
  claims: Record<string, unknown>,
  tokenEndpoint: string,
  issuer: string,
): void {
  const { aud, exp } = claims
  const audiences: unknown[] = [aud].flat()
  if (!audiences.every((each) => each === issuer || each === tokenEndpoint))
    throw new errors.InvalidClientAuth('aud must be the issuer or the token endpoint alone')
  if (typeof exp !== 'number' || exp > Date.now() / 1000 + LIFE_SECONDS + TOLERANCE_SECONDS)
    throw new errors.InvalidClientAuth('exp must be at most 5 minutes ahead')
}
