/**
 * Makes 32 hexadecimal digits that nobody has used before, for an `Idempotency-Key` or to tell logins apart. The
 * digits need not be secret (a repeated refresh must carry the old refresh token too). Clock and `Math.random`
 * therefore suffice where `crypto` is missing, as on Hermes without a polyfill.
 */
export function randomKey(): string {
  const bytes = new Uint8Array(16)
  if (typeof crypto !== 'undefined' && typeof crypto.getRandomValues === 'function') {
    crypto.getRandomValues(bytes)
  } else {
    const now = Date.now()
    for (const index of bytes.keys()) {
      // The lowest six bytes come from the clock alone, in case `Math.random` starts from the same seed.
      bytes[index] = index < 6 ? Math.floor(now / 256 ** index) % 256 : Math.floor(Math.random() * 256)
    }
  }
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
