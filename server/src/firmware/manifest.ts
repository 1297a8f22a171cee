import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { decode, encode, Tag } from 'cbor2'
import { z } from 'zod'
import { isSigningKey } from '../config/firmware-keys.ts'
import type { FirmwareKey } from '../config/firmware-keys.ts'
import { hardwareKindField } from '../devices/pairing.ts'
import { LARGEST_ID } from '../http/fields.ts'

/** The most bytes that a manifest may take; a device keeps a buffer of this size. */
export const LARGEST_MANIFEST = 512

/** The most bytes that an image may take. */
export const LARGEST_IMAGE = 8 * 1024 * 1024

/** The tag of a COSE_Sign1 object (RFC 9052, section 2). */
const COSE_SIGN1 = 18

/** Labels of a COSE header (RFC 9052, section 3.1). */
const ALGORITHM = 1
const KEY_ID = 4

const wholeNumber = (least: number) => z.number().int().min(least).max(LARGEST_ID)

/** What the maker signs about an image. `not_after` is in seconds since 1970-01-01T00:00:00Z. */
export const manifestFields = z.object({
  firmware_id: wholeNumber(1),
  hardware: hardwareKindField,
  size: z.number().int().min(1).max(LARGEST_IMAGE),
  sha256: z.custom<Uint8Array>((value) => value instanceof Uint8Array && value.length === 32),
  sequence: wholeNumber(1),
  not_after: z.number().int().min(1).max(253_402_300_799).nullable(),
  /** The lowest firmware that it may replace; 0 is any. */
  oldest: wholeNumber(0),
})

export type ManifestFields = z.infer<typeof manifestFields>

/** A field's key in the map that is signed is its place here, counted from 1. */
const KEYS = ['firmware_id', 'hardware', 'size', 'sha256', 'sequence', 'not_after', 'oldest'] as const

/** Why a manifest is refused, as a sentence for the operator. */
export class ManifestError extends Error {
  override name = 'ManifestError'
}

/** ES256 and EdDSA as COSE numbers them (RFC 9053, sections 2.1 and 2.2), by the kind of key. */
function algorithmOf(key: KeyObject): number {
  if (!isSigningKey(key)) throw new ManifestError('The key must be one of the curve P-256 or Ed25519')
  return key.asymmetricKeyType === 'ed25519' ? -8 : -7
}

const digestOf = (algorithm: number) => (algorithm === -7 ? 'sha256' : null)

/** Signatures of COSE are both numbers one after the other (RFC 9053, section 2.1), not DER. */
const inCose = (key: KeyObject) => ({ key, dsaEncoding: 'ieee-p1363' }) as const

/** The name that a key has by default: the beginning of the SHA-256 of its public part (SubjectPublicKeyInfo). */
export const keyIdOf = (key: KeyObject): string =>
  createHash('sha256')
    .update((key.type === 'private' ? createPublicKey(key) : key).export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16)

/** Makes a key pair as PEM, with its name. */
export function makeKeyPair(algorithm: 'ES256' | 'EdDSA') {
  const { publicKey, privateKey } =
    algorithm === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('ed25519')
  return {
    kid: keyIdOf(publicKey),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** What is signed: Sig_structure of RFC 9052, section 4.4, without external data. */
const signedBytes = (header: Uint8Array, payload: Uint8Array) =>
  encode(['Signature1', header, new Uint8Array(), payload])

/** Signs a manifest with a private key in PEM. Returns COSE_Sign1 (RFC 9052), algorithm and name of the key protected. */
export function signManifest(fields: ManifestFields, pem: string, kid?: string): Uint8Array {
  const key = privateKeyOf(pem)
  const algorithm = algorithmOf(key)
  const header = encode(
    new Map<number, unknown>([
      [ALGORITHM, algorithm],
      [KEY_ID, new TextEncoder().encode(kid ?? keyIdOf(key))],
    ]),
  )
  const payload = encode(new Map(KEYS.map((name, index) => [index + 1, fields[name]])))
  const signature = sign(digestOf(algorithm), signedBytes(header, payload), inCose(key))
  return encode(new Tag(COSE_SIGN1, [header, new Map(), payload, new Uint8Array(signature)]))
}

/** Reads a manifest that one of `keys` has signed. Throws `ManifestError` for any other. */
export function verifyManifest(bytes: Uint8Array, keys: readonly FirmwareKey[]): ManifestFields {
  const { header, payload, signature, algorithm, kid } = readSigned(bytes)
  const key = keys.find((each) => each.kid === kid)
  if (!key)
    throw new ManifestError(`The manifest is signed with the key "${kid}", which FIRMWARE_KEYS does not name`)
  if (algorithm !== algorithmOf(key.publicKey) || !isSignedBy(key.publicKey, { header, payload, signature }))
    throw new ManifestError(`The signature of the manifest is not one of the key "${kid}"`)
  const map = decoded(payload)
  const parsed = manifestFields.safeParse(
    map instanceof Map && map.size === KEYS.length
      ? Object.fromEntries(KEYS.map((name, index) => [name, map.get(index + 1)]))
      : {},
  )
  if (!parsed.success)
    throw new ManifestError(
      `The manifest does not hold what it must: ${parsed.error.issues.map(({ path }) => path.join('.')).join(', ')}`,
    )
  return parsed.data
}

/** Whether a key has signed the header and payload of a COSE_Sign1 object. */
export const isSignedBy = (
  key: KeyObject,
  { header, payload, signature }: Record<'header' | 'payload' | 'signature', Uint8Array>,
): boolean => verify(digestOf(algorithmOf(key)), signedBytes(header, payload), inCose(key), signature)

const NOT_A_MANIFEST = 'The manifest is no COSE_Sign1 object'

/** Of the header that is not signed, nothing is read; it is a map all the same (RFC 9052, section 3). */
const isMap = (value: unknown) =>
  value instanceof Map || (value instanceof Object && Object.getPrototypeOf(value) === Object.prototype)

const signed = z.tuple([
  z.instanceof(Uint8Array),
  z.custom(isMap),
  z.instanceof(Uint8Array),
  z.instanceof(Uint8Array),
])

function readSigned(bytes: Uint8Array) {
  if (bytes.length > LARGEST_MANIFEST)
    throw new ManifestError(`The manifest is longer than ${LARGEST_MANIFEST} bytes`)
  // cbor2 writes a Buffer as the JSON of one, and reads slices of its input: a plain array gives plain ones.
  const object = decoded(Uint8Array.from(bytes))
  const parsed = signed.safeParse(
    object instanceof Tag && object.tag === COSE_SIGN1 ? object.contents : undefined,
  )
  if (!parsed.success) throw new ManifestError(NOT_A_MANIFEST)
  const [header, , payload, signature] = parsed.data
  const labels = decoded(header)
  if (!(labels instanceof Map)) throw new ManifestError(NOT_A_MANIFEST)
  const kid: unknown = labels.get(KEY_ID)
  const algorithm: unknown = labels.get(ALGORITHM)
  if (!(kid instanceof Uint8Array) || typeof algorithm !== 'number') throw new ManifestError(NOT_A_MANIFEST)
  return { header, payload, signature, algorithm, kid: new TextDecoder().decode(kid) }
}

function decoded(bytes: Uint8Array): unknown {
  try {
    return decode(bytes, { preferMap: true, rejectDuplicateKeys: true })
  } catch {
    throw new ManifestError(NOT_A_MANIFEST)
  }
}

function privateKeyOf(pem: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch {
    throw new ManifestError('The private key is not readable as PEM')
  }
}

export const sha256Of = (image: Uint8Array): Uint8Array =>
  new Uint8Array(createHash('sha256').update(image).digest())
