import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { encode } from 'cbor2'

/*
 * An authenticator in software (W3C Web Authentication), with the browser in front of it: passkeys of ES256 without an attestation, whose
 * holder is always there and verified.
 */

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()

/** cbor2 writes a Buffer as the JSON of one. */
const plain = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))

const PRESENT = 0x01
const VERIFIED = 0x04
const HAS_CREDENTIAL = 0x40

interface CreationOptions {
  rp: { id: string }
  challenge: string
}

interface RequestOptions {
  rpId: string
  challenge: string
}

/** What a call may do otherwise than a good authenticator and browser do. */
interface Otherwise {
  origin?: string
  challenge?: string
  isVerified?: boolean
  /** What vouches for the authenticator: a format and its statement. */
  attestation?: { fmt: string; attStmt: object }
  /** The length of the new credential's id, in bytes. */
  idBytes?: number
}

/** A new authenticator of pages at `origin`. */
export function createAuthenticator(origin: string) {
  const keys = new Map<string, { rpId: string; privateKey: KeyObject; uses: number }>()
  let newest = ''

  const clientData = (type: string, challenge: string, from: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }))
  const authenticatorData = (rpId: string, flags: number, uses: number, more: Buffer = Buffer.alloc(0)) => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(uses)
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, more])
  }
  const flagsOf = (isVerified: boolean) => PRESENT | (isVerified ? VERIFIED : 0)

  return {
    /** As `navigator.credentials.create()` gives it, as JSON. */
    create({ rp, challenge }: CreationOptions, otherwise: Otherwise = {}) {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
      const id = randomBytes(otherwise.idBytes ?? 32)
      newest = id.toString('base64url')
      keys.set(newest, { rpId: rp.id, privateKey, uses: 0 })
      // COSE_Key (RFC 9053): EC2, ES256, P-256.
      const cose = new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, plain(x)],
        [-3, plain(y)],
      ])
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const credential = Buffer.concat([Buffer.alloc(16), length, id, encode(cose)])
      const authData = authenticatorData(
        rp.id,
        flagsOf(otherwise.isVerified ?? true) | HAS_CREDENTIAL,
        0,
        credential,
      )
      const { fmt, attStmt } = otherwise.attestation ?? { fmt: 'none', attStmt: {} }
      const attestation = encode({ fmt, attStmt, authData: new Uint8Array(authData) })
      return {
        id: newest,
        rawId: newest,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData(
            'webauthn.create',
            otherwise.challenge ?? challenge,
            otherwise.origin ?? origin,
          ).toString('base64url'),
          attestationObject: Buffer.from(attestation).toString('base64url'),
          transports: ['internal'],
        },
      }
    },

    /** As `navigator.credentials.get()` gives it, as JSON: by the newest passkey, or by that of an id. */
    get(
      { rpId, challenge }: RequestOptions,
      { id = newest, ...otherwise }: Otherwise & { id?: string } = {},
    ) {
      const key = keys.get(id)
      if (!key) throw new Error('There is no such passkey')
      key.uses += 1
      const client = clientData('webauthn.get', otherwise.challenge ?? challenge, otherwise.origin ?? origin)
      const data = authenticatorData(rpId, flagsOf(otherwise.isVerified ?? true), key.uses)
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), key.privateKey)
      return {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: signature.toString('base64url'),
        },
      }
    },
  }
}

export type Authenticator = ReturnType<typeof createAuthenticator>
