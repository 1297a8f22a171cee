import type { Context } from './context.ts'

const MOST_REMEMBERED = 10_000

/**
 * Names the address of a caller without telling it, as a keyed hash in base64url. Remembered, because hashing costs as
 * much as reading an upload.
 */
export function addressHasher(): (context: Context) => string {
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
