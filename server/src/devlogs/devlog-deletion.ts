import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Database, Sql } from '../database/database.ts'
import { lockDevices, updateLastLogFileId } from '../devices/pairing.ts'
import { recordCommand } from '../trail/operator.ts'
import type { Operator } from '../trail/operator.ts'
import type { DeviceAndWearer } from './device-call.ts'
import { inDeviceQueue, runOnWaitingConnection } from './device-queue.ts'

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
  concernsWearer: (worn: DeviceAndWearer) => void
}

interface Deletion {
  device: number
  child: number | null
  /** The wall-clock time before which records are deleted, as SQL. */
  until: RawBuilder<unknown>
  journal: number
  deleted_at: Date
}

/** The place up to which a deletion has come; see `delete_treatments`. */
interface Place {
  last_id: string | null
  /** Null when nothing is left. */
  after_date: string | null
  after_file: number | null
}

const BEGINNING: Place = { last_id: null, after_date: '-infinity', after_file: 0 }

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
  const begun = await inDeviceQueue(database, [request.uniqueId], (waits) => begin(database, request, waits))
  if (typeof begun !== 'object') return begun ?? 0
  const { deletion } = begun
  let { step } = begun
  let total = step.deleted
  while (step.after_date !== null) {
    const after = step
    step = await runOnWaitingConnection(database, () =>
      database.transaction(async (tx) => {
        await lockDevices(tx).where('id', '=', deletion.device).execute()
        return deleteStep(tx, deletion, after)
      }),
    )
    total += step.deleted
  }
  return total
}

/** Does the first step. Undefined if somebody else holds the device and the caller does not wait. */
function begin(
  database: Pick<Database, 'transaction' | 'keyRing'>,
  { uniqueId, address, scope, timeZone, concernsWearer }: Request,
  waits: boolean,
): Promise<0 | 'unknown' | undefined | { deletion: Deletion; step: Place & { deleted: number } }> {
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
    const until =
      scope === 'before-pairing' && connected_at
        ? sql`(${connected_at}::timestamptz AT TIME ZONE ${timeZone})`
        : sql`'infinity'::timestamp`
    const { rows: found } = await sql`
      SELECT 1 FROM device_treatments(${id}, '-infinity', ${until}) t WHERE t.real_user_id = ${real_user_id} LIMIT 1`.execute(
      tx,
    )
    if (found.length === 0) return 0
    const deleted_at = new Date()
    const journal = await tx
      .insertInto('devlog_deletion')
      .values({
        device_id: id,
        real_user_id,
        address: database.keyRing.encrypt('devlog_deletion.address', address),
        deleted_at,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const deletion = { device: id, child: real_user_id, until, journal: journal.id, deleted_at }
    return { deletion, step: await deleteStep(tx, deletion, BEGINNING) }
  })
}

/** Deletes the next records, those after `after`, and adds them to the journal. */
async function deleteStep(
  tx: Sql,
  { device, child, until, journal, deleted_at }: Deletion,
  after: Place,
): Promise<Place & { deleted: number }> {
  const { rows } = await sql<Place & { deleted: number }>`
    SELECT last_id, after_date::text AS after_date, after_file, deleted FROM delete_treatments(
      ${device}, ${child}, ${until}, ${journal}, ${deleted_at}, ${RECORDS_A_STEP}, ${after.last_id}, ${after.after_date},
      ${after.after_file})`.execute(tx)
  const [step] = rows
  if (!step) throw new Error('The step of a deletion gave no answer')
  await tx
    .updateTable('devlog_deletion')
    .set(({ eb }) => ({ deleted_count: eb('deleted_count', '+', step.deleted) }))
    .where('id', '=', journal)
    .execute()
  if (step.after_date === null) await updateLastLogFileId(tx, device)
  return step
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

  const { rows } = await sql<{ deletion: number; restored: number }>`
    SELECT deletion, restored FROM restore_treatments(${device.id}, ${deletions}::int[])`.execute(tx)
  const restored_at = new Date()
  for (const id of deletions) {
    const restored_count = rows.find((row) => row.deletion === id)?.restored ?? 0
    await tx
      .updateTable('devlog_deletion')
      .set({ restored_at, restored_count })
      .where('id', '=', id)
      .execute()
  }
  await updateLastLogFileId(tx, device.id)
  await recordCommand(tx, operator, {
    operation: 'companion devlog restore',
    realUserIds: undone.flatMap(({ real_user_id }) => real_user_id ?? []),
    isChange: true,
  })
  return { deletions: deletions.length, restored: rows.reduce((sum, { restored }) => sum + restored, 0) }
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
    address: keyRing.decrypt('devlog_deletion.address', deletion.address),
  }))
}
