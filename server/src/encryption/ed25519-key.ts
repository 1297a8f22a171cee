import { createPrivateKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/** What comes before the seed in an Ed25519 key (PKCS #8, RFC 8410). */
const PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The private key (RFC 8032) that a seed of 32 bytes makes. */
export const ed25519Key = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PREFIX, seed]), format: 'der', type: 'pkcs8' })
