import { createHmac, createSecretKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { deriveKey as derive } from '../encryption/derive-key.ts'
import { networkOf } from '../limits/network.ts'

type HashPurpose =
  | 'phone'
  | 'email'
  | 'identity'
  | 'address'
  | 'code'
  | 'limit'
  | 'webhook'
  | 'social'
  | 'record'
  | 'refusal'
  | 'input'

/** One for each kind of token, so that a token of another kind fails by its signature. */
export interface TokenKeys {
  access: KeyObject
  refresh: KeyObject
  valid: KeyObject
  challenge: KeyObject
}

/** Keys for one purpose each, derived from the configured secrets (HKDF, RFC 5869). */
export interface Keys extends TokenKeys {
  /** All whose tokens are accepted; the first signs. */
  generations: readonly TokenKeys[]
  /** For signed cookies; the first signs. */
  cookies: readonly [string, ...string[]]
  /** Of the digests in reports. */
  reportSeal: Buffer
  /** The seed of an Ed25519 key (RFC 8032). */
  signingSeed: Buffer
  /** The same, of the key that signs what is published of the trail. */
  publicationSeed: Buffer
  /**
   * Keyed hash of something that must not be readable, or guessable, from a dump of the database. That of an `address`
   * is one of the client it stands for.
   */
  hash(purpose: HashPurpose, value: string): Buffer
}

declare module '../http/context.ts' {
  interface Context {
    keys: Keys
  }
}

const tokenKeys = (secret: string): TokenKeys => ({
  access: createSecretKey(derive(secret, 'access token')),
  refresh: createSecretKey(derive(secret, 'refresh token')),
  valid: createSecretKey(derive(secret, 'valid token')),
  challenge: createSecretKey(derive(secret, 'challenge')),
})

const cookieKey = (secret: string) => derive(secret, 'cookie').toString('base64url')

/**
 * Tokens live for days, so their secret may change while the previous one is still accepted. Hashes of what nobody
 * keeps, such as the phone of a deleted account, cannot be made again: `hashSecret` stays what it was from the start.
 */
export function deriveKeys(
  tokenSecret: string,
  {
    previousTokenSecret,
    hashSecret = tokenSecret,
  }: { previousTokenSecret?: string | undefined; hashSecret?: string | undefined } = {},
): Keys {
  // A `Buffer` is turned into a `KeyObject` at each use, which takes four times as long as hashing a row of the trail.
  const key = (purpose: HashPurpose) => createSecretKey(derive(hashSecret, purpose))
  const current = tokenKeys(tokenSecret)
  const hashKeys: Record<HashPurpose, KeyObject> = {
    phone: key('phone'),
    email: key('email'),
    identity: key('identity'),
    address: key('address'),
    code: key('code'),
    limit: key('limit'),
    webhook: key('webhook'),
    social: key('social'),
    record: key('record'),
    refusal: key('refusal'),
    input: key('input'),
  }
  return {
    ...current,
    generations: previousTokenSecret === undefined ? [current] : [current, tokenKeys(previousTokenSecret)],
    reportSeal: derive(hashSecret, 'report seal'),
    signingSeed: derive(tokenSecret, 'signing'),
    publicationSeed: derive(hashSecret, 'publication'),
    cookies: [
      cookieKey(tokenSecret),
      ...(previousTokenSecret === undefined ? [] : [cookieKey(previousTokenSecret)]),
    ],
    hash: (purpose, value) =>
      createHmac('sha256', hashKeys[purpose])
        .update(purpose === 'address' ? networkOf(value) : value)
        .digest(),
  }
}
