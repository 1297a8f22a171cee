import type { Pool } from 'pg'
import { ConfigurationError } from '../config/config.ts'
import { UnreadableValue } from '../encryption/key-ring.ts'
import type { KeyRing, EncryptedColumn } from '../encryption/key-ring.ts'

/* Whether a database's personal columns are encrypted, and with which keys; see docs/decisions/encryption-by-column.md. */

export interface Encryption {
  /** Encrypts what is written as soon as the database's encryption is on, and decrypts what was encrypted. */
  keyRing: KeyRing
  /**
   * Resolves to whether the encryption is on for all columns. Throws `ConfigurationError`, which names the key, if one is missing or
   * another that stored values are encrypted with, or looked up by.
   */
  check(): Promise<boolean>
  /** Resolves when the database has said what is encrypted: until then, what is looked up is sent to it as it is, too. */
  known(): Promise<void>
  /** Turns the encryption on. Other processes notice within `ENCRYPTION_PROPAGATION_MS`. */
  begin(): Promise<void>
  close(): void
}

const LOOK_MS = 5000
/** After this time no process writes without encryption any more. */
export const ENCRYPTION_PROPAGATION_MS = 2 * LOOK_MS

export function createColumnEncryption(pool: Pool, keys: KeyRing): Encryption {
  // Until the database has been asked, what is written is encrypted: every process of this version reads it.
  let isOn = true
  /** Until the database has been asked, a row may have no keyed hash. */
  let isComplete = false
  let isKnown = false
  // A server of the version before would chain what is encrypted.
  let isOnForAddresses = false
  const looking = setInterval(() => void look().catch(() => undefined), LOOK_MS).unref()

  function encrypt(place: EncryptedColumn, text: string): string
  function encrypt(place: EncryptedColumn, text: string | null): string | null
  function encrypt(place: EncryptedColumn, text: string | null) {
    return isOn && (isOnForAddresses || place !== RECORDED_ADDRESS_COLUMN) ? keys.encrypt(place, text) : text
  }

  async function look(): Promise<void> {
    const { rows } = await pool.query<{ is_on: boolean; is_on_for_addresses: boolean }>(
      'SELECT is_on, is_on_for_addresses FROM encryption',
    )
    isOn = rows[0]?.is_on !== false
    isComplete = isOn
    isKnown = true
    isOnForAddresses = rows[0]?.is_on_for_addresses !== false
    if (isOn && isOnForAddresses) clearInterval(looking)
  }

  async function assertOpens(): Promise<boolean> {
    const { rows } = await pool.query<{ id: string; proof: string }>('SELECT id, proof FROM data_key')
    for (const { id, proof } of rows) {
      try {
        keys.decrypt(PROOF, proof)
      } catch (error) {
        if (!(error instanceof UnreadableValue)) throw error
        throw new ConfigurationError(whyUnreadable(id, keys.has(id)))
      }
    }
    return rows.some(({ id }) => id === keys.current)
  }

  async function assertFinds(): Promise<void> {
    const proof = keys.index('email', PROOF)
    const { rows } = await pool.query<{ index_proof: Buffer | null }>('SELECT index_proof FROM encryption')
    if (rows[0]?.index_proof?.equals(proof)) return
    const { rowCount } = await pool.query(
      'UPDATE encryption SET index_proof = $1 WHERE index_proof IS NULL OR index_proof = $1',
      [proof],
    )
    if (rowCount === 0) throw new ConfigurationError(OTHER_HASHES)
  }

  async function check(): Promise<boolean> {
    const isKnown = await assertOpens()
    await assertFinds()
    await look()
    if (!isOn) return false
    if (isKnown) return isOnForAddresses
    await pool.query('INSERT INTO data_key (id, proof) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      keys.current,
      keys.encrypt(PROOF, keys.current),
    ])
    // Another process may have been faster, with another key of that name.
    await assertOpens()
    return isOnForAddresses
  }

  return {
    keyRing: {
      ...keys,
      encrypt,
      get isComplete() {
        return isComplete
      },
    },
    check,
    async known() {
      if (!isKnown) await look()
    },
    async begin() {
      await assertOpens()
      await pool.query('UPDATE encryption SET is_on = true, is_on_for_addresses = true')
      await check()
    },
    close: () => clearInterval(looking),
  }
}

/** Of the security record. */
export const RECORDED_ADDRESS_COLUMN = 'security_record.address'

const PROOF = 'data_key.proof'

const OTHER_HASHES =
  'HASH_SECRET: e-mail addresses and phone numbers in the database are looked up by hashes that were made with another one'

const whyUnreadable = (id: string, isThere: boolean) =>
  id === 'derived'
    ? 'HASH_SECRET: values in the database are encrypted with a key that was derived from another one'
    : isThere
      ? `DATA_KEYS: holds another key as "${id}" than the one that values in the database are encrypted with`
      : `DATA_KEYS: lacks the key "${id}", which values in the database are encrypted with`
