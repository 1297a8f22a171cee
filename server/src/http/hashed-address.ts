import type { Context } from './context.ts'

const MOST_REMEMBERED = 10_000

interface Caller {
  keys: Pick<Context['keys'], 'hash'>
  request: Pick<Context['request'], 'address'>
}

/**
 * Returns a function that hashes the caller's address with a key, in base64url, so that logs identify a caller without
 * revealing the address. It caches hashes, because hashing costs as much as reading an upload.
 */
export function addressHasher(): (caller: Caller) => string {
  const hashes = new Map<string, string>()
  return ({ keys, request: { address } }) => {
    const known = hashes.get(address)
    if (known !== undefined) return known
    if (hashes.size >= MOST_REMEMBERED) hashes.clear()
    const hash = keys.hash('address', address).toString('base64url')
    hashes.set(address, hash)
    return hash
  }
}
