import { createHmac, hkdfSync } from 'node:crypto'

type HashPurpose = 'phone' | 'email' | 'identity' | 'address' | 'code' | 'limit'

/** Keys for one purpose each, derived from the one configured secret (HKDF, RFC 5869). */
export interface Keys {
  access: Uint8Array
  refresh: Uint8Array
  valid: Uint8Array
  /** Keyed hash of something that must not be readable, or guessable, from a dump of the database. */
  hash(purpose: HashPurpose, value: string): Buffer
}

declare module '../http/context.ts' {
  interface Context {
    keys: Keys
  }
}

export function deriveKeys(secret: string): Keys {
  const key = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', `companion ${purpose}`, 32))
  const hashKeys: Record<HashPurpose, Buffer> = {
    phone: key('phone'),
    email: key('email'),
    identity: key('identity'),
    address: key('address'),
    code: key('code'),
    limit: key('limit'),
  }
  return {
    access: key('access token'),
    refresh: key('refresh token'),
    valid: key('valid token'),
    hash: (purpose, value) => createHmac('sha256', hashKeys[purpose]).update(value).digest(),
  }
}
