import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { deriveKey } from './derive-key.ts'

/** A key that personal columns are encrypted with, and the name by which their values tell it from others. */
export interface DataKey {
  id: string
  /** 32 bytes. */
  key: Buffer
}

/** The column that a value is for, which is bound to it: in another column it does not open. */
export type Place = `${string}.${string}`

/**
 * Encrypts values of columns, and decrypts them. An encrypted value is text for PostgreSQL: `MARK`, the id of its key, a
 * colon, and in base64url a nonce of 12 bytes, the ciphertext and a tag of 16 bytes (AES-256-GCM, NIST SP 800-38D).
 */
export interface KeyRing {
  /** The id of the key that encrypts. */
  readonly current: string
  /** The same text is another value each time. */
  seal(place: Place, text: string): string
  /**
   * The text of an encrypted value; text that is not encrypted, as it was stored before, is returned as it is. Throws
   * `UnreadableValue`.
   */
  open(place: Place, stored: string): string
}

/** START OF TEXT, a control character that no name, note, address or JSON begins with. */
const MARK = '\u0002'

/** A stored value whose key is not there, or that was changed or moved. */
export class UnreadableValue extends Error {
  override name = 'UnreadableValue'
}

/** The id of the key that a stored value is encrypted with; undefined of text that is not encrypted. */
export const keyIdOf = (stored: string): string | undefined =>
  stored.startsWith(MARK) ? stored.slice(MARK.length, stored.indexOf(':')) : undefined

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The first of `keys` encrypts. */
export function createKeyRing(keys: readonly [DataKey, ...DataKey[]]): KeyRing {
  const [{ id: current, key: currentKey }] = keys
  const keyOf = new Map(keys.map(({ id, key }) => [id, key]))
  return {
    current,
    seal(place, text) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', currentKey, nonce).setAAD(Buffer.from(place))
      const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
      return `${MARK}${current}:${Buffer.concat(parts).toString('base64url')}`
    },
    open(place, stored) {
      const id = keyIdOf(stored)
      if (id === undefined) return stored
      const key = keyOf.get(id)
      if (!key)
        throw new UnreadableValue(`A value of ${place} is encrypted with "${id}", which DATA_KEYS lacks`)
      const bytes = Buffer.from(stored.slice(MARK.length + id.length + 1), 'base64url')
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
          authTagLength: TAG_BYTES,
        })
          .setAAD(Buffer.from(place))
          .setAuthTag(bytes.subarray(-TAG_BYTES))
        return (
          decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
        )
      } catch {
        throw new UnreadableValue(
          `A value of ${place} does not open with "${id}": another key, or it was changed`,
        )
      }
    },
  }
}

/** The key where none is configured, which production refuses. */
const derivedKey = (hashSecret: string): DataKey => ({
  id: 'derived',
  key: deriveKey(hashSecret, 'data key'),
})

/** The key ring of a configuration. */
export function keyRingOf(
  { dataKeys: keys, hashSecret }: { dataKeys: readonly DataKey[]; hashSecret: string | undefined },
  tokenSecret: string,
): KeyRing {
  const [first = derivedKey(hashSecret ?? tokenSecret), ...others] = keys
  return createKeyRing([first, ...others])
}
