import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Database, Sql } from '../database/database.ts'
import { lockDevices, refreshLastLogFile } from '../devices/pairing.ts'
import { noteCommand } from '../trail/operator.ts'
import type { Operator } from '../trail/operator.ts'
import type { Worn } from './device-call.ts'
import { inLine, inTurn } from './waiting-line.ts'

/** Which records of a device the public deletion may reach. */
export type DeletionScope = 'all' | 'before-pairing'

declare module '../http/context.ts' {
  interface Context {
    devlogDeletion: DeletionScope
  }
}

const RECORDS_A_STEP = 5000

interface Request {
  uniqueId: string
  address: string
  scope: DeletionScope
  timeZone: string
  /** Is told of the device once it is found. */
  concernsWearer: (worn: Worn) => void
}

/** A deletion of which the first step is done. */
interface Deletion {
  id: number
  journal: number
  mark: RawBuilder<unknown>
  reach: RawBuilder<unknown>
  last: string
}

interface Step {
  count: number
  /** The last record of the step. */
  date: string
  file: number
  isLast: boolean
}

/**
 * Deletes softly the live records that the child who wears the device now has made with it, and notes it in the journal.
 * Resolves to how many. The device is locked as by an upload, so neither comes between the other; of many records the
 * deletion goes step by step, uploads go on between the steps, and what they store stays. Throws 429 when enough already
 * wait for the device.
 */
export async function deleteDevlogs(
  database: Pick<Database, 'transaction' | 'pool' | 'keyRing'>,
  request: Request,
): Promise<number | 'unknown'> {
  const begun = await inLine(database, [request.uniqueId], (waits) => begin(database, request, waits))
  if (typeof begun !== 'object') return begun ?? 0
  const { deletion } = begun
  let { step } = begun
  let total = step.count
  while (!step.isLast) {
    const after = step
    step = await inTurn(database, () =>
      database.transaction(async (tx) => {
        await lockDevices(tx).where('id', '=', deletion.id).execute()
        return deleteStep(tx, deletion, 0, after)
      }),
    )
    total += step.count
  }
  return total
}

/** Does the first step. Undefined if somebody else holds the device and the caller does not wait. */
function begin(
  database: Pick<Database, 'transaction' | 'keyRing'>,
  { uniqueId, address, scope, timeZone, concernsWearer }: Request,
  waits: boolean,
): Promise<0 | 'unknown' | undefined | { deletion: Deletion; step: Step }> {
  return database.transaction(async (tx) => {
    const lock = lockDevices(tx).select(['real_user_id', 'connected_at']).where('unique_id', '=', uniqueId)
    const device = await (waits ? lock : lock.skipLocked()).executeTakeFirst()
    if (!device) {
      const known = await tx.selectFrom('device').select('id').where('unique_id', '=', uniqueId).execute()
      return known.length === 0 ? 'unknown' : undefined
    }
    const { id, real_user_id, connected_at } = device
    concernsWearer({ device_id: id, real_user_id })
    // The device's wall clock against the service's, the only ones there are.
    const isInScope =
      scope === 'before-pairing' && connected_at
        ? sql<boolean>`t.treatment_date < ${connected_at} AT TIME ZONE ${timeZone}`
        : sql<boolean>`true`
    const reach = sql`t.device_id = ${id} AND t.real_user_id = ${real_user_id} AND t.deleted_at IS NULL AND ${isInScope}`
    const { rows: found } = await sql`SELECT 1 FROM treatment t WHERE ${reach} LIMIT 1`.execute(tx)
    if (found.length === 0) return 0
    const deleted_at = new Date()
    const journal = await tx
      .insertInto('devlog_deletion')
      .values({
        device_id: id,
        real_user_id,
        address: database.keyRing.seal('devlog_deletion.address', address),
        deleted_at,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const mark = sql`deleted_at = ${deleted_at}, deletion_id = ${journal.id}`
    // Records stored from now on have higher ids. A temporary one keeps its id when it is completed: all of them go now.
    const { rows } = await sql<{ last: string }>`SELECT last_value AS last FROM treatment_id_seq`.execute(tx)
    const temporary = await sql`UPDATE treatment t SET ${mark} WHERE ${reach} AND t.is_temp`.execute(tx)
    const deletion = { id, journal: journal.id, mark, reach, last: rows[0]?.last ?? '0' }
    const step = await deleteStep(tx, deletion, Number(temporary.numAffectedRows))
    return { deletion, step }
  })
}

/**
 * Deletes the next records, those with dates and log files after `after`, and adds them and `more` to the journal. A
 * deletion that the operator has undone by now goes no further: what it took after that could not be brought back.
 */
async function deleteStep(
  tx: Sql,
  { id, journal, mark, reach, last }: Deletion,
  more: number,
  after: Pick<Step, 'date' | 'file'> = { date: '-infinity', file: 0 },
): Promise<Step> {
  const rest = sql`${reach} AND t.id <= ${last}::bigint
    AND (t.treatment_date, t.log_file_id) > (${after.date}::timestamp, ${after.file}::int)
    AND EXISTS (SELECT FROM devlog_deletion WHERE id = ${journal} AND restored_at IS NULL)`
  const { rows } = await sql<Pick<Step, 'date' | 'file'>>`
    SELECT t.treatment_date::text AS date, t.log_file_id AS file FROM treatment t WHERE ${rest}
    ORDER BY t.treatment_date, t.log_file_id OFFSET ${RECORDS_A_STEP - 1} LIMIT 1`.execute(tx)
  const [upTo = { date: 'infinity', file: 0 }] = rows
  const { numAffectedRows } = await sql`UPDATE treatment t SET ${mark} WHERE ${rest}
    AND (t.treatment_date, t.log_file_id) <= (${upTo.date}::timestamp, ${upTo.file}::int)`.execute(tx)
  const count = more + Number(numAffectedRows)
  await tx
    .updateTable('devlog_deletion')
    .set(({ eb }) => ({ deleted_count: eb('deleted_count', '+', count) }))
    .where('id', '=', journal)
    .execute()
  const isLast = rows.length === 0
  if (isLast) await refreshLastLogFile(tx, id)
  return { ...upTo, count, isLast }
}

/**
 * Undoes deletions of a device that are not undone yet, all or the one named, within the transaction of `sql`. Each
 * record comes back as if it arrived again now: what is live stays as it is, except that a complete record takes the
 * place of a temporary one. Undefined when there is nothing to undo.
 */
export async function restoreDevlogs(
  tx: Sql,
  {
    uniqueId,
    deletionId,
    operator,
  }: { uniqueId: string; deletionId?: number | undefined; operator: Operator },
): Promise<{ deletions: number; restored: number } | undefined> {
  const device = await lockDevices(tx).where('unique_id', '=', uniqueId).executeTakeFirst()
  if (!device) return undefined
  let open = tx
    .selectFrom('devlog_deletion')
    .select(['id', 'real_user_id'])
    .where('device_id', '=', device.id)
    .where('restored_at', 'is', null)
  if (deletionId !== undefined) open = open.where('id', '=', deletionId)
  const undone = await open.orderBy('id').execute()
  const deletions = undone.map(({ id }) => id)
  if (deletions.length === 0) return undefined

  // Of a record that was deleted more than once, the complete one, else the newest.
  const candidates = sql`candidate AS (
    SELECT DISTINCT ON (c.date, t.log_file_id) t.ctid, c.date AS treatment_date, t.log_file_id, t.is_temp
    FROM treatment t
    CROSS JOIN LATERAL (
      SELECT corrected_date(t.device_id, t.treatment_date, t.log_file_id, t.is_temp) AS date
    ) c
    WHERE t.deletion_id = ANY (${deletions}::int[])
    ORDER BY c.date, t.log_file_id, t.is_temp, t.id DESC
  )`
  await sql`WITH ${candidates}
    DELETE FROM treatment t USING candidate c
    WHERE t.device_id = ${device.id} AND t.deleted_at IS NULL AND t.is_temp
      AND NOT c.is_temp AND t.treatment_date = c.treatment_date`.execute(tx)
  // OFFSET 0 makes each record look its own entry up. As a join, with statistics of before the deletion that know few
  // records of the device, each would read all entries of the device: 29 s for 20,001 records instead of 1 s.
  const { rows } = await sql<{ deletion_id: number; count: number }>`WITH ${candidates}, restored AS (
      UPDATE treatment t SET deleted_at = NULL, treatment_date = c.treatment_date
      FROM candidate c
      WHERE t.ctid = c.ctid
        AND NOT EXISTS (SELECT FROM treatment l WHERE l.device_id = ${device.id} AND l.deleted_at IS NULL
          AND l.treatment_date = c.treatment_date AND l.log_file_id = c.log_file_id OFFSET 0)
        AND NOT (c.is_temp AND (
          EXISTS (SELECT FROM treatment l WHERE l.device_id = ${device.id} AND l.deleted_at IS NULL
            AND l.treatment_date = c.treatment_date AND NOT l.is_temp)
          OR EXISTS (SELECT FROM candidate o WHERE o.treatment_date = c.treatment_date AND NOT o.is_temp)))
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
  await refreshLastLogFile(tx, device.id)
  await noteCommand(tx, operator, {
    operation: 'companion devlog restore',
    realUserIds: undone.flatMap(({ real_user_id }) => real_user_id ?? []),
    isChange: true,
  })
  return { deletions: deletions.length, restored: rows.reduce((sum, { count }) => sum + count, 0) }
}

/** The journal, newest last; of one device or of all. */
export async function listDeletions({ sql: tx, keyRing }: Database, uniqueId?: string) {
  const all = tx
    .selectFrom('devlog_deletion')
    .innerJoin('device', 'device.id', 'devlog_deletion.device_id')
    .select([
      'devlog_deletion.id',
      'device.unique_id',
      'devlog_deletion.real_user_id',
      'devlog_deletion.address',
      'devlog_deletion.deleted_at',
      'devlog_deletion.deleted_count',
      'devlog_deletion.restored_at',
      'devlog_deletion.restored_count',
    ])
    .orderBy('devlog_deletion.id')
  const deletions = await (
    uniqueId === undefined ? all : all.where('device.unique_id', '=', uniqueId)
  ).execute()
  return deletions.map((deletion) => ({
    ...deletion,
    address: keyRing.open('devlog_deletion.address', deletion.address),
  }))
}
