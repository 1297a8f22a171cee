import { sql } from 'kysely'
import type { Sql } from '../database/database.ts'
import { lockDevices } from '../devices/pairing.ts'

/** Which records of a device the public deletion may reach. */
export type DeletionScope = 'all' | 'before-pairing'

declare module '../http/context.ts' {
  interface Context {
    devlogDeletion: DeletionScope
  }
}

/**
 * Deletes the live records of a device softly and notes it in the journal, within the transaction of `sql`. Returns how
 * many; with 0 the caller must roll back. The device is locked as by an upload, so neither comes between the other.
 */
export async function deleteDevlogs(
  tx: Sql,
  {
    uniqueId,
    address,
    scope,
    timeZone,
  }: { uniqueId: string; address: string; scope: DeletionScope; timeZone: string },
): Promise<number> {
  const device = await lockDevices(tx)
    .select('connected_at')
    .where('unique_id', '=', uniqueId)
    .executeTakeFirst()
  if (!device) return 0
  const deleted_at = new Date()
  const { id } = await tx
    .insertInto('devlog_deletion')
    .values({ device_id: device.id, address, deleted_at })
    .returning('id')
    .executeTakeFirstOrThrow()
  let records = tx
    .updateTable('treatment')
    .set({ deleted_at, deletion_id: id })
    .where('device_id', '=', device.id)
    .where('deleted_at', 'is', null)
  if (scope === 'before-pairing' && device.connected_at) {
    // The device's wall clock against the service's, the only ones there are.
    records = records.where(sql<boolean>`treatment_date < ${device.connected_at} AT TIME ZONE ${timeZone}`)
  }
  const deleted_count = Number((await records.executeTakeFirst()).numUpdatedRows)
  await tx.updateTable('devlog_deletion').set({ deleted_count }).where('id', '=', id).execute()
  return deleted_count
}

/**
 * Undoes deletions of a device that are not undone yet, all or the one named, within the transaction of `sql`. Each
 * record comes back as if it arrived again now: what is live stays as it is, except that a complete record takes the
 * place of a temporary one. Undefined when there is nothing to undo.
 */
export async function restoreDevlogs(
  tx: Sql,
  { uniqueId, deletionId }: { uniqueId: string; deletionId?: number | undefined },
): Promise<{ deletions: number; restored: number } | undefined> {
  const device = await lockDevices(tx).where('unique_id', '=', uniqueId).executeTakeFirst()
  if (!device) return undefined
  let open = tx
    .selectFrom('devlog_deletion')
    .select('id')
    .where('device_id', '=', device.id)
    .where('restored_at', 'is', null)
  if (deletionId !== undefined) open = open.where('id', '=', deletionId)
  const deletions = (await open.orderBy('id').execute()).map(({ id }) => id)
  if (deletions.length === 0) return undefined

  // Of a record that was deleted more than once, the complete one, else the newest.
  const candidates = sql`candidate AS (
    SELECT DISTINCT ON (treatment_date, log_file_id) id, treatment_date, log_file_id, is_temp
    FROM treatment WHERE deletion_id = ANY (${deletions}::int[])
    ORDER BY treatment_date, log_file_id, is_temp, id DESC
  )`
  await sql`WITH ${candidates}
    DELETE FROM treatment t USING candidate c
    WHERE t.device_id = ${device.id} AND t.deleted_at IS NULL AND t.is_temp
      AND NOT c.is_temp AND t.treatment_date = c.treatment_date`.execute(tx)
  const { rows } = await sql<{ deletion_id: number; count: number }>`WITH ${candidates}, restored AS (
      UPDATE treatment t SET deleted_at = NULL
      FROM candidate c
      WHERE t.deletion_id = ANY (${deletions}::int[]) AND t.id = c.id
        AND NOT EXISTS (SELECT FROM treatment l WHERE l.device_id = ${device.id} AND l.deleted_at IS NULL
          AND l.treatment_date = c.treatment_date AND (l.log_file_id = c.log_file_id OR c.is_temp AND NOT l.is_temp))
        AND NOT (c.is_temp AND EXISTS (SELECT FROM candidate o
          WHERE NOT o.is_temp AND o.treatment_date = c.treatment_date))
      RETURNING t.deletion_id
    )
    SELECT deletion_id, count(*)::int AS count FROM restored GROUP BY 1`.execute(tx)
  const restored_at = new Date()
  for (const id of deletions) {
    const restored_count = rows.find((row) => row.deletion_id === id)?.count ?? 0
    await tx
      .updateTable('devlog_deletion')
      .set({ restored_at, restored_count })
      .where('id', '=', id)
      .execute()
  }
  return { deletions: deletions.length, restored: rows.reduce((sum, { count }) => sum + count, 0) }
}

/** The journal, newest last; of one device or of all. */
export function listDeletions(tx: Sql, uniqueId?: string) {
  const all = tx
    .selectFrom('devlog_deletion')
    .innerJoin('device', 'device.id', 'devlog_deletion.device_id')
    .select([
      'devlog_deletion.id',
      'device.unique_id',
      'devlog_deletion.address',
      'devlog_deletion.deleted_at',
      'devlog_deletion.deleted_count',
      'devlog_deletion.restored_at',
      'devlog_deletion.restored_count',
    ])
    .orderBy('devlog_deletion.id')
  return (uniqueId === undefined ? all : all.where('device.unique_id', '=', uniqueId)).execute()
}
