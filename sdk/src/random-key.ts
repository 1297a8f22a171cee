/**
 * 32 hexadecimal digits that nobody has used before; for an `Idempotency-Key` or to tell logins apart. They need not be
 * secret (a repeated refresh must carry the old refresh token too), so that without `crypto`, as on Hermes without a
 * polyfill, the clock and `Math.random` will do.
 */
export function randomKey(): string {
  const bytes = new Uint8Array(16)
  if (typeof crypto !== 'undefined' && typeof crypto.getRandomValues === 'function') {
    crypto.getRandomValues(bytes)
  } else {
    const now = Date.now()
    for (const index of bytes.keys()) {
      // The six lowest bytes of the clock are kept apart from chance, in case it starts from the same seed.
      bytes[index] = index < 6 ? Math.floor(now / 256 ** index) % 256 : Math.floor(Math.random() * 256)
    }
  }
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
