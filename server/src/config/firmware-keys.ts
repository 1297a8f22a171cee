import { createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { z } from 'zod'

/** A key that manifests of firmware are verified with. */
export interface FirmwareKey {
  kid: string
  publicKey: KeyObject
}

/** The name of a key: short, because each manifest carries it. */
export const keyId = z.string().regex(/^[\w.-]{1,32}$/, 'must be 1 to 32 of A-Z a-z 0-9 . _ -')

/** Whether manifests can be signed with such a key: ES256 or EdDSA. */
export const isSigningKey = ({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean =>
  asymmetricKeyType === 'ed25519' ||
  (asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1')

const publicKey = z.string().transform((pem, issues): KeyObject => {
  try {
    // A private key would give its public part, and would be kept where it must not be.
    const key = /PRIVATE/.test(pem) ? undefined : createPublicKey(pem)
    if (key && isSigningKey(key)) return key
  } catch {
    // Not readable: the same mistake.
  }
  issues.addIssue('must be a public key of the curve P-256 or Ed25519 as PEM, never a private one')
  return z.NEVER
})

/** `FIRMWARE_KEYS`: JSON `[{"kid", "public_key" (PEM)}]`. */
export const firmwareKeys = z
  .array(
    z
      .object({ kid: keyId, public_key: publicKey })
      .transform(({ kid, public_key }): FirmwareKey => ({ kid, publicKey: public_key })),
    'must be a list such as [{"kid": "2026", "public_key": "-----BEGIN PUBLIC KEY-----…"}]',
  )
  .refine((keys) => new Set(keys.map(({ kid }) => kid)).size === keys.length, {
    error: 'must not name a key twice',
  })
