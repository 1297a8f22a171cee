import type { Sql } from '../database/database.ts'
import type { Operator } from '../trail/operator.ts'
import { accountNameConditionSql } from '../encrypted-columns/lookup.ts'
import type { KeyRing } from '../encryption/key-ring.ts'
import { recordSecurityEvent } from './security-record.ts'
import { endSessions } from './tokens/session.ts'

type Change = (
  sql: Sql,
  keyRing: KeyRing,
  name: string,
  operator: Operator,
) => Promise<{ id: number } | 'several' | undefined>

/**
 * Keeps the account with this e-mail or id out: its session and its access tokens end. Undefined when there is no such account, `several`
 * when a parent and a clinician have the address.
 */
export const blockAccount: Change = (...of) => setBlocked(true, ...of)

/** Lets the account in again; it has to sign in again. */
export const unblockAccount: Change = (...of) => setBlocked(false, ...of)

async function setBlocked(
  isBlocked: boolean,
  ...[sql, keyRing, name, operator]: Parameters<Change>
): ReturnType<Change> {
  const [account, another] = await sql
    .selectFrom('root_user')
    .select('id')
    .where(accountNameConditionSql(keyRing, name, { isAnyKind: true }))
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute()
  if (another) return 'several'
  if (!account) return undefined
  const blocked_at = isBlocked ? new Date() : null
  await sql.updateTable('root_user').set({ blocked_at }).where('id', '=', account.id).execute()
  if (isBlocked) await endSessions(sql, account.id)
  const action = isBlocked ? 'account_block' : 'account_unblock'
  await recordSecurityEvent(sql, operator, { action, rootUserId: account.id })
  return account
}
