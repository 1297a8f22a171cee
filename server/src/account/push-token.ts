import { createHash } from 'node:crypto'
import type { Sql } from '../database/database.ts'
import type { KeyRing } from '../encryption/key-ring.ts'

/** Whether `value` has 16 to 4096 printable ASCII characters and no spaces. */
export const isPushToken = (value: string) => /^[\x21-\x7e]{16,4096}$/.test(value)

/**
 * Stores the push token of the account's phone, within a transaction that has locked the account. If another account
 * used the phone before, the token moves to this account.
 */
export async function storePushToken(
  sql: Sql,
  keyRing: KeyRing,
  rootUserId: number,
  given: string,
): Promise<void> {
  const token = keyRing.encrypt('push_token.token', given)
  const token_hash = createHash('sha256').update(given).digest()
  // Lock in a fixed order, so that two accounts that swap their phones cannot deadlock.
  await sql
    .selectFrom('push_token')
    .select('root_user_id')
    .where((row) => row.or([row('root_user_id', '=', rootUserId), row('token_hash', '=', token_hash)]))
    .orderBy('token_hash')
    .forUpdate()
    .execute()
  await sql
    .deleteFrom('push_token')
    .where('root_user_id', '=', rootUserId)
    .where('token_hash', '<>', token_hash)
    .execute()
  await sql
    .insertInto('push_token')
    .values({ root_user_id: rootUserId, token, token_hash })
    .onConflict((conflict) => conflict.column('token_hash').doUpdateSet({ root_user_id: rootUserId }))
    .execute()
}
