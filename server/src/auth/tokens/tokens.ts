import { createHash, randomUUID } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import type { Keys, TokenKeys } from '../keys.ts'
import { verifiedClaims, JWT_HEADER, ISSUER } from './signed-claims.ts'

export const ACCESS_SECONDS = 900
export const REFRESH_SECONDS = 1_209_600
const VALID_SECONDS = 600
const CHALLENGE_SECONDS = 300

/** The account that an access token speaks for. The token is invalid when the account's epoch has moved on. */
export interface AccessClaims {
  rootUserId: number
  epoch: number
  /** Of the account of a clinician, which never becomes another. */
  isClinician?: true
}

/** Whose session a refresh token belongs to, and of which epoch; tokens of older releases do not say the epoch. */
export interface RefreshClaims {
  rootUserId: number
  epoch: number | undefined
}

export interface TokenPair {
  access_token: string
  refresh_token: string
  expires_in: number
  refresh_expires_in: number
}

/** Why a token is not accepted; an expired one had a good signature. */
export type TokenError = 'invalid' | 'expired'

export interface TokenIssuer {
  /**
   * The pair of `caller` issued at `issuedAt` (seconds since 1970). The same arguments give the same pair, which is
   * how a lost response can be repeated without keeping a token; `signing` says with which keys it was given.
   */
  issuePair(
    caller: AccessClaims,
    refreshId: string,
    issuedAt: number,
    signing?: TokenKeys,
  ): Promise<TokenPair>
  verifyAccess(token: string): Promise<AccessClaims | TokenError>
  verifyRefresh(token: string): Promise<RefreshClaims | TokenError>
  issueValid(phone: string): Promise<string>
  verifyValid(token: string): Promise<{ phone: string; tokenId: string; expiresAt: Date } | undefined>
  /** A challenge for a passkey, good for one `purpose`. Nothing of it is kept: it follows from its id. */
  issueChallenge(purpose: string): Promise<PasskeyChallenge>
  /** The same of its id, if it is one for this purpose and in force; whether it was used says `used_token`. */
  verifyChallenge(
    purpose: string,
    challengeId: string,
  ): Promise<{ challenge: string; tokenId: string; expiresAt: Date } | undefined>
}

/** What an authenticator signs (WebAuthn), and the id by which it is told. */
export interface PasskeyChallenge {
  challenge_id: string
  /** 256 bits, base64url. */
  challenge: string
}

declare module '../../http/context.ts' {
  interface Context {
    tokens: TokenIssuer
  }
}

/** How a token is kept: it has 256 bits that nobody can guess, so a plain hash will do. */
export const tokenHash = (token: string) => createHash('sha256').update(token).digest()

/** The id of the access token that is issued with a refresh token. It follows from the other id, as the pair can be repeated. */
const accessId = (refreshId: string) => tokenHash(refreshId).toString('base64url')

/** What an authenticator signs. */
const challengeOf = (challengeId: string) => tokenHash(challengeId).toString('base64url')

const sign = (
  key: KeyObject,
  issuedAt: number,
  seconds: number,
  subject: string,
  claims: Record<string, unknown>,
) =>
  new SignJWT(claims)
    .setProtectedHeader(JWT_HEADER)
    .setIssuer(ISSUER)
    .setSubject(subject)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + seconds)
    .sign(key)

const verifyWith = async (key: KeyObject, token: string) =>
  verifiedClaims(key, token) ??
  jwtVerify(token, key, {
    algorithms: ['HS256'],
    issuer: ISSUER,
    requiredClaims: ['sub', 'iat', 'exp'],
  }).then(
    ({ payload }) => payload,
    (error: unknown): TokenError => (error instanceof errors.JWTExpired ? 'expired' : 'invalid'),
  )

async function verify({ generations }: Keys, kind: keyof TokenKeys, token: string) {
  for (const keys of generations) {
    const payload = await verifyWith(keys[kind], token)
    if (payload !== 'invalid') return payload
  }
  return 'invalid'
}

const MOST_REMEMBERED = 20_000

export function createTokens(keys: Keys, mostRemembered = MOST_REMEMBERED): TokenIssuer {
  // A signature is checked once: an access token is verified on every call of its 15 minutes. Of two generations, because a
  // `Map` from which the oldest is taken again and again passes over thousands that are gone.
  let young = new Map<string, { caller: AccessClaims; expiresAt: number }>()
  let old = young
  const remember = (token: string, caller: AccessClaims, expiresAt: number) => {
    if (young.size >= mostRemembered / 2) {
      old = young
      young = new Map()
    }
    young.set(token, { caller, expiresAt })
  }

  return {
    async issuePair({ rootUserId, epoch, isClinician }, refreshId, issuedAt, signing = keys) {
      // Before the signatures take their time: a new pair has all its seconds.
      const age = Math.floor(Date.now() / 1000) - issuedAt
      const subject = String(rootUserId)
      const [access_token, refresh_token] = await Promise.all([
        sign(signing.access, issuedAt, ACCESS_SECONDS, subject, {
          jti: accessId(refreshId),
          epoch,
          ...(isClinician ? { clinician: true } : {}),
        }),
        sign(signing.refresh, issuedAt, REFRESH_SECONDS, subject, { jti: refreshId, epoch }),
      ])
      return {
        access_token,
        refresh_token,
        expires_in: ACCESS_SECONDS - age,
        refresh_expires_in: REFRESH_SECONDS - age,
      }
    },
    async verifyAccess(token) {
      const known = young.get(token) ?? old.get(token)
      if (known && known.expiresAt > Date.now()) return known.caller
      const payload = await verify(keys, 'access', token)
      if (typeof payload === 'string') return payload
      const { sub, epoch, exp, clinician } = payload
      if (typeof epoch !== 'number' || !exp) return 'invalid'
      const caller: AccessClaims = {
        rootUserId: Number(sub),
        epoch,
        ...(clinician === true ? { isClinician: true } : {}),
      }
      remember(token, caller, exp * 1000)
      return caller
    },
    async verifyRefresh(token) {
      const payload = await verify(keys, 'refresh', token)
      if (typeof payload === 'string') return payload
      const { sub, epoch } = payload
      return { rootUserId: Number(sub), epoch: typeof epoch === 'number' ? epoch : undefined }
    },
    issueValid: (phone) =>
      sign(keys.valid, Math.floor(Date.now() / 1000), VALID_SECONDS, phone, { jti: randomUUID() }),
    async verifyValid(token) {
      const payload = await verify(keys, 'valid', token)
      if (typeof payload === 'string' || !payload.sub || !payload.jti || !payload.exp) return undefined
      return { phone: payload.sub, tokenId: payload.jti, expiresAt: new Date(payload.exp * 1000) }
    },
    async issueChallenge(purpose) {
      const now = Math.floor(Date.now() / 1000)
      const challenge_id = await sign(keys.challenge, now, CHALLENGE_SECONDS, purpose, { jti: randomUUID() })
      return { challenge_id, challenge: challengeOf(challenge_id) }
    },
    async verifyChallenge(purpose, challengeId) {
      const payload = await verify(keys, 'challenge', challengeId)
      if (typeof payload === 'string' || payload.sub !== purpose || !payload.jti || !payload.exp)
        return undefined
      return {
        challenge: challengeOf(challengeId),
        tokenId: payload.jti,
        expiresAt: new Date(payload.exp * 1000),
      }
    },
  }
}
