import { createCipheriv, createDecipheriv, createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { deriveKey } from './derive-key.ts'
import { createRecentValues } from './recent-values.ts'

/** A key that personal columns are encrypted with, and the name by which their values tell it from others. */
export interface DataKey {
  id: string
  /** 32 bytes. */
  key: Buffer
}

/** The column that a value is for, as `table.column`. The value is bound to it: in another column it cannot be decrypted. */
export type EncryptedColumn = `${string}.${string}`

/**
 * Encrypts values of columns, and decrypts them. An encrypted value is text for PostgreSQL: `MARK`, the id of its key, a
 * colon, and in base64url a nonce of 12 bytes, the ciphertext and a tag of 16 bytes (AES-256-GCM, NIST SP 800-38D). No
 * value and the empty text stay what they are, so that SQL can tell whether there is something.
 */
export interface KeyRing {
  /** The id of the key that encrypts. */
  readonly current: string
  /** Whether all that is stored is encrypted, and what is looked up has its keyed hash. */
  readonly isComplete: boolean
  /** Whether it holds a key of this id. */
  has(id: string): boolean
  /** The same text is another value each time. */
  encrypt(place: EncryptedColumn, text: string): string
  encrypt(place: EncryptedColumn, text: string | null): string | null
  /**
   * The text of an encrypted value; text that is not encrypted, as it was stored before, is returned as it is. Throws
   * `UnreadableValue`.
   */
  decrypt(place: EncryptedColumn, stored: string): string
  decrypt(place: EncryptedColumn, stored: string | null): string | null
  /**
   * A keyed hash by which an e-mail address, in any case, or a phone number is looked up, and kept unique: HMAC-SHA256 with
   * a key derived from `HASH_SECRET`, the same as of tombstones and SMS codes.
   */
  index(kind: BlindIndexKind, text: string): Buffer
  index(kind: BlindIndexKind, text: string | null): Buffer | null
}

/** What is looked up. */
export type BlindIndexKind = 'email' | 'phone'

/** START OF TEXT, a control character that no name, note, address or JSON begins with. */
const MARK = '\u0002'

/** How each value begins that is encrypted with the key of this id. */
export const ciphertextPrefix = (keyId: string): string => `${MARK}${keyId}:`

/** The id of the key that a stored value is encrypted with; undefined of text that is not encrypted. */
export const keyIdOf = (stored: string): string | undefined =>
  stored.startsWith(MARK) ? stored.slice(MARK.length, stored.indexOf(':')) : undefined

/** A stored value whose key is not there, or that was changed or moved. */
export class UnreadableValue extends Error {
  override name = 'UnreadableValue'
  /** The id of the key that is not there. */
  readonly missingKey: string | undefined

  constructor(message: string, missingKey?: string) {
    super(message)
    this.missingKey = missingKey
  }
}

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The first of `keys` encrypts. */
export function createKeyRing(
  [first, ...others]: readonly [DataKey, ...DataKey[]],
  hashSecret: string,
): KeyRing {
  // A `Buffer` is turned into a `KeyObject` at each use, which takes four times as long as decrypting a name.
  const current = createSecretKey(first.key)
  const keys = new Map([first, ...others].map(({ id, key }) => [id, createSecretKey(key)]))
  const recent = createRecentValues()
  const indexKeys = {
    email: createSecretKey(deriveKey(hashSecret, 'email')),
    phone: createSecretKey(deriveKey(hashSecret, 'phone')),
  }

  function encrypt(place: EncryptedColumn, text: string): string
  function encrypt(place: EncryptedColumn, text: string | null): string | null
  function encrypt(place: EncryptedColumn, text: string | null) {
    if (!text) return text
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', current, nonce).setAAD(Buffer.from(place))
    const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
    return ciphertextPrefix(first.id) + Buffer.concat(parts).toString('base64url')
  }

  function decryptWith(place: EncryptedColumn, id: string, bytes: Buffer) {
    const key = keys.get(id)
    if (!key)
      throw new UnreadableValue(`A value of ${place} is encrypted with "${id}", which DATA_KEYS lacks`, id)
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(place))
        .setAuthTag(bytes.subarray(-TAG_BYTES))
      const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
      decipher.final()
      return text.toString()
    } catch {
      throw new UnreadableValue(
        `A value of ${place} cannot be decrypted with "${id}": another key, or it was changed`,
      )
    }
  }

  function decrypt(place: EncryptedColumn, stored: string): string
  function decrypt(place: EncryptedColumn, stored: string | null): string | null
  function decrypt(place: EncryptedColumn, stored: string | null) {
    const id = stored === null ? undefined : keyIdOf(stored)
    if (stored === null || id === undefined) return stored
    const known = recent.get(place, stored)
    if (known !== undefined) return known
    const text = decryptWith(place, id, Buffer.from(stored.slice(ciphertextPrefix(id).length), 'base64url'))
    recent.set(place, stored, text)
    return text
  }

  function index(kind: BlindIndexKind, text: string): Buffer
  function index(kind: BlindIndexKind, text: string | null): Buffer | null
  function index(kind: BlindIndexKind, text: string | null): Buffer | null {
    if (text === null) return null
    const value = kind === 'email' ? text.toLowerCase() : text
    return createHmac('sha256', indexKeys[kind]).update(value).digest()
  }

  return { current: first.id, isComplete: true, has: (id) => keys.has(id), encrypt, decrypt, index }
}

/** The key ring of a configuration. */
export function keyRingOf(
  { dataKeys, hashSecret }: { dataKeys: readonly DataKey[]; hashSecret: string | undefined },
  tokenSecret: string,
): KeyRing {
  const secret = hashSecret ?? tokenSecret
  // Where keys are configured it opens what was stored before they were.
  const derived = { id: 'derived', key: deriveKey(secret, 'data key') }
  const [first, ...others] = [...dataKeys, derived]
  return createKeyRing([first ?? derived, ...others], secret)
}

/** The value of a text that replaces a stored one: that one if it says the same, so that SQL sees no change. */
export function encryptIfChanged(
  keyRing: KeyRing,
  place: EncryptedColumn,
  text: string,
  stored: string | undefined,
): string {
  return stored !== undefined && keyRing.decrypt(place, stored) === text
    ? stored
    : keyRing.encrypt(place, text)
}
