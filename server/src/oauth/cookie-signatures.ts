import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Signs cookies as the package `keygrip` does, by HMAC-SHA256 where its default is SHA-1. The first of `keys` signs; what any
 * of them has signed is accepted.
 */
export function cookieSignatures(keys: readonly [string, ...string[]]) {
  /** The place of the key that has signed `data`, or -1. */
  const index = (data: string, signature: string) =>
    keys.findIndex((key) => isSame(Buffer.from(signWith(key, data)), Buffer.from(signature)))
  return {
    sign: (data: string) => signWith(keys[0], data),
    verify: (data: string, signature: string) => index(data, signature) >= 0,
    index,
  }
}

const signWith = (key: string, data: string) => createHmac('sha256', key).update(data).digest('base64url')

const isSame = (one: Buffer, other: Buffer) => one.length === other.length && timingSafeEqual(one, other)
