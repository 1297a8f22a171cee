import { createHmac, timingSafeEqual } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { JWTPayload } from 'jose'
import { z } from 'zod'

export const ISSUER = 'companion'
/** Of every token that this service signs. */
export const JWT_HEADER = { alg: 'HS256', typ: 'JWT' }

const START = `${Buffer.from(JSON.stringify(JWT_HEADER)).toString('base64url')}.`

const claims = z.looseObject({
  iss: z.literal(ISSUER),
  sub: z.string(),
  iat: z.number(),
  exp: z.number(),
})

/**
 * The claims of a token in force that has the form this service gives its own; undefined of any other, about which `jose`
 * says what is wrong. By Web Crypto a signature takes 60 µs and another thread, here 5 µs.
 */
export function verifiedClaims(key: KeyObject, token: string): JWTPayload | undefined {
  const end = token.lastIndexOf('.')
  if (!token.startsWith(START) || end < START.length) return undefined
  const signature = Buffer.from(token.slice(end + 1))
  const expected = Buffer.from(createHmac('sha256', key).update(token.slice(0, end)).digest('base64url'))
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return undefined
  const { data } = claims.safeParse(
    JSON.parse(Buffer.from(token.slice(START.length, end), 'base64url').toString()),
  )
  return data && data.exp > Math.floor(Date.now() / 1000) ? data : undefined
}
