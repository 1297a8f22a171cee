import type { Sql } from '../database/database.ts'
import type { Operator } from '../trail/operator.ts'
import { accountNameConditionSql } from '../encrypted-columns/lookup.ts'
import type { KeyRing } from '../encryption/key-ring.ts'
import { recordSecurityEvent } from './security-record.ts'
import { endSessions } from './tokens/session.ts'

/** Keeps the account with this e-mail or id out: its session and its access tokens end. Undefined when there is no such account. */
export async function blockAccount(
  sql: Sql,
  keyRing: KeyRing,
  name: string,
  operator: Operator,
): Promise<{ id: number } | undefined> {
  const account = await sql
    .updateTable('root_user')
    .set({ blocked_at: new Date() })
    .where(accountNameConditionSql(keyRing, name))
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (account) {
    await endSessions(sql, account.id)
    await recordSecurityEvent(sql, operator, { action: 'account_block', rootUserId: account.id })
  }
  return account
}

/** Lets the account in again; it has to sign in again. */
export async function unblockAccount(
  sql: Sql,
  keyRing: KeyRing,
  name: string,
  operator: Operator,
): Promise<{ id: number } | undefined> {
  const account = await sql
    .updateTable('root_user')
    .set({ blocked_at: null })
    .where(accountNameConditionSql(keyRing, name))
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (account) await recordSecurityEvent(sql, operator, { action: 'account_unblock', rootUserId: account.id })
  return account
}
