import { keyIdOf } from '../encryption/key-ring.ts'
import type { BlindIndexKind, KeyRing, EncryptedColumn } from '../encryption/key-ring.ts'

interface EncryptedTable {
  /** The encrypted columns, and of those that are not text what they are when there is nothing to encrypt, in SQL. */
  columns: Readonly<Record<string, { json: string } | 'text'>>
  /** The columns of keyed hashes, with what they are of. */
  indexes?: Readonly<Record<string, BlindIndexKind>>
  /** SQL condition of rows whose hashes are null on purpose. */
  unindexed?: string
  /** SQL condition of rows that hold nothing personal. */
  unless?: string
}

const EMPTY_DATA = `'{"medication": [], "hospital": []}'`
const note = { memo: 'text', event_data: { json: EMPTY_DATA } } as const

const person = { first_name: 'text', last_name: 'text', birthdate: 'text' } as const

/** The columns that hold something personal. A test knows why each other column does not. */
export const encryptedTables = {
  root_user: {
    columns: { ...person, email: 'text', phone: 'text' },
    indexes: { email_hash: 'email', phone_hash: 'phone' },
    unindexed: 'is_contact_email',
  },
  real_user: { columns: person },
  email_confirmation: { columns: { email: 'text' } },
  push_token: { columns: { token: 'text' } },
  device: { columns: { device_alias: 'text' }, unless: 'device_alias = serial_code' },
  devlog_deletion: { columns: { address: 'text' } },
  rejected_devlog: { columns: { content: 'text', address: 'text' } },
  invitation: { columns: { email: 'text' }, indexes: { email_hash: 'email' } },
  passkey: { columns: { name: 'text' } },
  clinic_invitation: { columns: { email: 'text' }, indexes: { email_hash: 'email' } },
  clinic_connection: { columns: { record_number: 'text' } },
  event: { columns: note },
  event_version: { columns: note },
  kept_response: { columns: { response: 'text' } },
  fhir_export_part: { columns: { content: 'text' } },
  trail: { columns: { old_value: 'text' } },
  security_record: { columns: { address: 'text' } },
} as const satisfies Record<string, EncryptedTable>

/** The place that a value of a column is bound to. Notes are copied to their versions. */
export const encryptedColumnName = (table: string, column: string): EncryptedColumn =>
  `${table === 'event_version' ? 'event' : table}.${column}`

/** A row of `table`, or some columns of it, with its encrypted values opened. */
export const decryptRow = (keyRing: KeyRing, table: string, row: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      if (typeof value !== 'string' || keyIdOf(value) === undefined) return [column, value]
      const text = keyRing.decrypt(encryptedColumnName(table, column), value)
      return [column, column === 'event_data' ? JSON.parse(text) : text]
    }),
  )
