import type { Sql } from '../database/database.ts'

/** What the event of one day has said over time, the present version first. */
export const listVersions = (sql: Sql, realUserId: number, date: string) =>
  sql
    .selectFrom('event')
    .select(['id', 'version', 'event_date', 'memo', 'event_data', 'saved_at'])
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
        ])
        .where('event.real_user_id', '=', realUserId)
        .where('event.event_date', '=', date),
    )
    .orderBy('version', 'desc')
    .execute()

/**
 * Gives the event of a day the words of an earlier version again, as a new version; the day stays. False when there is
 * no such version.
 */
export async function restoreVersion(
  sql: Sql,
  realUserId: number,
  date: string,
  version: number,
): Promise<boolean> {
  const restored = await sql
    .updateTable('event')
    .from('event_version')
    .set((row) => ({
      memo: row.ref('event_version.memo'),
      event_data: row.ref('event_version.event_data'),
      saved_at: new Date(),
    }))
    .whereRef('event_version.event_id', '=', 'event.id')
    .where('event_version.version', '=', version)
    .where('event.real_user_id', '=', realUserId)
    .where('event.event_date', '=', date)
    .executeTakeFirst()
  return restored.numUpdatedRows > 0n
}
