import { sql } from 'kysely'
import type { RawBuilder, SqlBool } from 'kysely'
import type { KeyRing } from '../encryption/key-ring.ts'

/* E-mail addresses and phone numbers are encrypted, and looked up by keyed hashes. A row that an older version has written
 * has no hash, and the value itself. Where there is none of those PostgreSQL is not sent the value, which it may log. */

/** Whether the e-mail address of a row is this one, in any case. */
export const hasEmail = (
  keyRing: KeyRing,
  email: string,
  table = 'root_user',
): RawBuilder<SqlBool> => sql<SqlBool>`
  (${sql.ref(`${table}.email_hash`)} = ${keyRing.index('email', email)}
    ${keyRing.isComplete ? sql`` : sql`OR lower(${sql.ref(`${table}.email`)}) = ${email.toLowerCase()}`})`

/** Whether the phone number of an account is this one. */
export const hasPhone = (keyRing: KeyRing, phone: string): RawBuilder<SqlBool> => sql<SqlBool>`
  (root_user.phone_hash = ${keyRing.index('phone', phone)}
    ${keyRing.isComplete ? sql`` : sql`OR root_user.phone = ${phone}`})`

/** The columns of an account's e-mail address. */
export const emailColumns = (keyRing: KeyRing, email: string | null) => ({
  email: keyRing.seal('root_user.email', email),
  email_hash: keyRing.index('email', email),
})

/** The columns of an account's phone number. */
export const phoneColumns = (keyRing: KeyRing, phone: string | null) => ({
  phone: keyRing.seal('root_user.phone', phone),
  phone_hash: keyRing.index('phone', phone),
})
