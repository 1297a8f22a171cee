import { sql as raw } from 'kysely'
import type { Database, Sql } from '../database/database.ts'
import { isoTimestampSql } from '../database/wire-time.ts'
import type { KeyRing } from '../encryption/key-ring.ts'
import { encryptOldValue } from '../trail/old-value.ts'
import { recordCommand } from '../trail/operator.ts'
import type { Operator } from '../trail/operator.ts'
import { decryptEvent } from './event.ts'
import type { StoredEvent } from './event.ts'

interface Version extends StoredEvent {
  id: number
  version: number
  event_date: string
  /** ISO 8601 in UTC. */
  saved_at: string
  saved_by: number | null
}

/** Lists the versions of a day's event, the current one first. */
export async function listVersions({ sql, keyRing }: Database, realUserId: number, date: string) {
  const content = raw`event_date::text AS event_date, memo, event_data,
    ${raw.raw(isoTimestampSql('saved_at'))} AS saved_at, saved_by`
  const { rows } = await raw<Version>`
    SELECT id, version, ${content} FROM events_of(${realUserId}, ${date}, ${date})
    UNION ALL
    SELECT event_id, version, ${content} FROM event_versions_of(${realUserId}, ${date}, ${date})
    ORDER BY version DESC`.execute(sql)
  return rows.map((version) => ({ ...version, ...decryptEvent(keyRing, version) }))
}

/**
 * Restores the content of an earlier version of a day's event as a new version; the event stays on its day. Returns
 * false if there is no such version. Within a transaction.
 */
export async function restoreVersion(
  sql: Sql,
  keyRing: KeyRing,
  realUserId: number,
  date: string,
  version: number,
  operator: Operator,
): Promise<boolean> {
  const {
    rows: [replaced],
  } = await raw<StoredEvent>`
    SELECT memo, event_data FROM locked_event(${realUserId}, NULL, ${date})`.execute(sql)
  const { rows } = await raw`
    SELECT id FROM restore_event_version(${realUserId}, ${date}, ${version}, ${new Date()})`.execute(sql)
  if (rows.length === 0) return false
  await recordCommand(sql, operator, {
    operation: 'companion event restore',
    realUserIds: [realUserId],
    isChange: true,
    oldValue: encryptOldValue(keyRing, replaced && { event_date: date, ...decryptEvent(keyRing, replaced) }),
  })
  return true
}
