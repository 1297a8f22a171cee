import type { Sql } from '../database/database.ts'
import { noteCommand } from '../trail/operator.ts'
import type { Operator } from '../trail/operator.ts'

/** Lists the versions of a day's event, the current one first. */
export const listVersions = (sql: Sql, realUserId: number, date: string) =>
  sql
    .selectFrom('event')
    .select(['id', 'version', 'event_date', 'memo', 'event_data', 'saved_at', 'saved_by'])
    .where('real_user_id', '=', realUserId)
    .where('event_date', '=', date)
    .unionAll(
      sql
        .selectFrom('event_version')
        .innerJoin('event', 'event.id', 'event_version.event_id')
        .select([
          'event_version.event_id as id',
          'event_version.version',
          'event_version.event_date',
          'event_version.memo',
          'event_version.event_data',
          'event_version.saved_at',
          'event_version.saved_by',
        ])
        .where('event.real_user_id', '=', realUserId)
        .where('event.event_date', '=', date),
    )
    .orderBy('version', 'desc')
    .execute()

/**
 * Restores the content of an earlier version of a day's event as a new version; the event stays on its day. Returns
 * false if there is no such version. Within a transaction.
 */
export async function restoreVersion(
  sql: Sql,
  realUserId: number,
  date: string,
  version: number,
  operator: Operator,
): Promise<boolean> {
  const replaced = await sql
    .selectFrom('event')
    .select(['event_date', 'memo', 'event_data'])
    .where('real_user_id', '=', realUserId)
    .where('event_date', '=', date)
    .forUpdate()
    .executeTakeFirst()
  const restored = await sql
    .updateTable('event')
    .from('event_version')
    .set((row) => ({
      memo: row.ref('event_version.memo'),
      event_data: row.ref('event_version.event_data'),
      saved_at: new Date(),
      saved_by: null,
    }))
    .whereRef('event_version.event_id', '=', 'event.id')
    .where('event_version.version', '=', version)
    .where('event.real_user_id', '=', realUserId)
    .where('event.event_date', '=', date)
    .executeTakeFirst()
  if (restored.numUpdatedRows === 0n) return false
  await noteCommand(sql, operator, {
    operation: 'companion event restore',
    realUserIds: [realUserId],
    isChange: true,
    oldValue: replaced,
  })
  return true
}
