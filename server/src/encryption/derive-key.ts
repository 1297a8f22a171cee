import { hkdfSync } from 'node:crypto'

/** A key of 32 bytes for one purpose, derived from a secret (HKDF-SHA256, RFC 5869). */
export const deriveKey = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `companion ${purpose}`, 32))
