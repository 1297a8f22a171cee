import type { KeyObject } from 'node:crypto'
import { SignJWT, UnsecuredJWT } from 'jose'
import type { JWTPayload } from 'jose'
import { deriveKeys } from '@companion/server/auth/keys.ts'
import { TEST_SECRET } from './server.ts'

export const ourKeys = deriveKeys(TEST_SECRET)
export const foreignKeys = deriveKeys('another secret of 32 bytes or more, not ours')

/** Claims of a token of this service, of any kind, that expires in `seconds`. */
export const claimsFor = (subject: string | number, seconds = 60) => {
  const now = Math.floor(Date.now() / 1000)
  return {
    iss: 'companion',
    sub: String(subject),
    jti: crypto.randomUUID(),
    epoch: 0,
    iat: now - 10,
    exp: now + seconds,
  }
}

/** Signs claims; omits those that are undefined. */
export const signedWith = (key: KeyObject, claims: Record<string, unknown>) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(key)

/** Makes an unsigned token (`alg: none`). */
export const unsigned = (claims: JWTPayload) => new UnsecuredJWT(claims).encode()
