import { sql } from 'kysely'
import type { RawBuilder, SqlBool } from 'kysely'
import type { KeyRing } from '../encryption/key-ring.ts'

/* E-mail addresses and phone numbers are encrypted, and looked up by keyed hashes. A row that an older version has written
 * has no hash, and the value itself. Where there is none of those PostgreSQL is not sent the value, which it may log. */

/** Whether the e-mail address of a row is this one, in any case. */
export const emailConditionSql = (
  keyRing: KeyRing,
  email: string,
  table = 'root_user',
): RawBuilder<SqlBool> => sql<SqlBool>`
  (${sql.ref(`${table}.email_hash`)} = ${keyRing.index('email', email)}
    ${keyRing.isComplete ? sql`` : sql`OR lower(${sql.ref(`${table}.email`)}) = ${email.toLowerCase()} ${table === 'root_user' ? sql`AND NOT root_user.is_contact_email` : sql``}`})`

/** An id, where an operator names an account. */
const ID = /^\d{1,18}$/

/**
 * Whether an operator means this account: by its id, or by its e-mail address, which is not known of every account. With `isAnyKind` that
 * of a clinician counts too, which may be a parent's as well.
 */
export const accountNameConditionSql = (
  keyRing: KeyRing,
  name: string,
  { table = 'root_user', id = 'id', isAnyKind = false } = {},
): RawBuilder<SqlBool> => {
  if (ID.test(name)) return sql<SqlBool>`${sql.ref(`${table}.${id}`)} = ${name}::bigint`
  const isParent = emailConditionSql(keyRing, name, table)
  return isAnyKind
    ? sql<SqlBool>`(${isParent} OR ${sql.ref(`${table}.clinician_email_hash`)} = ${keyRing.index('email', name)})`
    : isParent
}

/** What an operator reads who has named two accounts. */
export const SEVERAL_ACCOUNTS =
  'A parent and a clinician have this e-mail address: name the account by its id'

/** What an operator reads who has named no account. */
export const noSuchAccountMessage = (name: string) =>
  `There is no account with this ${ID.test(name) ? 'id' : 'e-mail'}`

/** Whether the phone number of an account is this one. */
export const phoneConditionSql = (keyRing: KeyRing, phone: string): RawBuilder<SqlBool> => sql<SqlBool>`
  (root_user.phone_hash = ${keyRing.index('phone', phone)}
    ${keyRing.isComplete ? sql`` : sql`OR root_user.phone = ${phone}`})`

/**
 * The columns of an account's e-mail address. A contact address has no hash: it reserves nothing, and nobody is found by
 * it.
 */
export const emailColumns = (keyRing: KeyRing, email: string | null, isContact = false) => ({
  email: keyRing.encrypt('root_user.email', email),
  email_hash: isContact ? null : keyRing.index('email', email),
  is_contact_email: isContact,
})

/** The columns of an account's phone number. */
export const phoneColumns = (keyRing: KeyRing, phone: string | null) => ({
  phone: keyRing.encrypt('root_user.phone', phone),
  phone_hash: keyRing.index('phone', phone),
})
