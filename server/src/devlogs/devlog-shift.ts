import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { recordSecurityEvent } from '../auth/security-record.ts'
import type { Sql } from '../database/database.ts'
import { lockDevices } from '../devices/pairing.ts'
import { recordCommand } from '../trail/operator.ts'
import type { Operator } from '../trail/operator.ts'
import { EARLIEST_RECORD_DATE, latestAcceptedTime } from './devlog.ts'

/** A record that a shift, or its undoing, leaves where it is. */
export interface UnmovedRecord {
  treatment_date: string
  log_file_id: number
  reason: string
}

interface Moved {
  treatment_date: string
  log_file_id: number
}

/** A record that a shift moves, and where to. */
interface MovedTo extends Moved {
  new_date: string
}

const TAKEN = 'another record is there'

interface Shift {
  uniqueId: string
  /** The first and the last wall-clock time whose records are moved. */
  from: string
  to: string
  seconds: number
  dryRun: boolean
  operator: Operator
}

/**
 * Moves the live records of a device whose clock was wrong by `seconds`, within the transaction of `tx`, and notes each in
 * the journal, so that `unshiftDevlogs` can move it back and an upload that repeats it finds it
 * (docs/decisions/shifted-records.md). A record whose new date is impossible, or taken by a record that would then count
 * as the same, stays and is named; of those that move, the first and the last are. The device is locked as by an upload.
 * Undefined if there is no such device. With `dryRun`, nothing changes.
 */
export async function shiftDevlogs(tx: Sql, { uniqueId, from, to, seconds, dryRun, operator }: Shift) {
  const device = await lockDevices(tx).where('unique_id', '=', uniqueId).executeTakeFirst()
  if (!device) return undefined
  await lockDevice(tx, device.id)
  const by = sql`${seconds}::float8 * interval '1 second'`
  const chosen = sql`SELECT * FROM device_treatments(${device.id}, ${from}, ${to}::timestamp + interval '1 microsecond')`
  const between = { first: EARLIEST_RECORD_DATE, last: latestAcceptedTime() }
  const { moving, stayed } = await judge(tx, { device: device.id, chosen, by, between })
  const moved = { moved: moving.length, first: moving[0] ?? null, last: moving.at(-1) ?? null, stayed }
  if (dryRun || moving.length === 0) return { shiftId: null, ...moved }
  const { id } = await tx
    .insertInto('devlog_shift')
    .values({
      device_id: device.id,
      from_date: sql`${from}::timestamp`,
      to_date: sql`${to}::timestamp`,
      by_seconds: BigInt(seconds),
      shifted_at: new Date(),
      shifted_count: moving.length,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const children = await move(tx, { device: device.id, moving, by, journal: id })
  await sql`UPDATE device SET has_shifted_devlogs = true WHERE id = ${device.id}`.execute(tx)
  await recordShift(tx, 'devlog_shift', children, { device: device.id, shift: id, operator })
  return { shiftId: id, ...moved }
}

/**
 * Moves the records of a shift back, within the transaction of `tx`. One that is deleted now, or whose old place another
 * record has taken, stays and is named, and the shift can be undone again for it. Answers `later`, the id of a shift that
 * has moved some of the records again and must be undone first, or undefined if there is nothing to undo.
 */
export async function unshiftDevlogs(tx: Sql, shiftId: number, operator: Operator) {
  const shift = await tx
    .selectFrom('devlog_shift')
    .select(['device_id', 'by_seconds'])
    .where('id', '=', sql<number>`${shiftId}::bigint`)
    .executeTakeFirst()
  if (!shift) return undefined
  const { device_id: device } = shift
  await lockDevices(tx).where('id', '=', device).execute()
  await lockDevice(tx, device)
  const left = await listLeft(tx, shiftId)
  if (left.length === 0) return undefined
  const later = left.find((row) => row.later !== null)?.later
  if (later) return { later }

  const by = sql`${-Number(shift.by_seconds)}::float8 * interval '1 second'`
  // A record that was temporary may have another number by now.
  const chosen = sql`SELECT DISTINCT t.* FROM shifted_devlog s
    CROSS JOIN LATERAL device_treatments(${device}, s.date, s.date + interval '1 microsecond') t
    WHERE s.shift_id = ${shiftId} AND (t.log_file_id = s.log_file_id OR s.is_temp)`
  const between = { first: '-infinity', last: 'infinity' }
  const { moving, stayed } = await judge(tx, { device, chosen, by, between })
  const children = moving.length === 0 ? [] : await move(tx, { device, moving, by })
  await sql`DELETE FROM shifted_devlog s USING ${unnested(moving)}
    WHERE s.shift_id = ${shiftId} AND s.date = m.date AND (s.log_file_id = m.log_file_id OR s.is_temp)`.execute(
    tx,
  )
  for (const { treatment_date, log_file_id, is_temp } of await listLeft(tx, shiftId)) {
    const isNamed = stayed.some(
      (each) => each.treatment_date === treatment_date && (is_temp || each.log_file_id === log_file_id),
    )
    if (!isNamed) stayed.push({ treatment_date, log_file_id, reason: 'it is deleted' })
  }
  await sql`UPDATE device SET has_shifted_devlogs = EXISTS (SELECT FROM shifted_devlog WHERE device_id = ${device})
    WHERE id = ${device}`.execute(tx)
  if (stayed.length === 0)
    await tx.updateTable('devlog_shift').set({ undone_at: new Date() }).where('id', '=', shiftId).execute()
  await recordShift(tx, 'devlog_unshift', children, { device, shift: shiftId, operator })
  return { moved: moving.length, stayed }
}

/** In a distributed database a lock of the device alone does not show what the last upload has written. */
const lockDevice = (tx: Sql, device: number) => sql`SELECT lock_device_records(${device})`.execute(tx)

/** The records that a shift has moved and that are not moved back, and the later shift that has moved each again. */
async function listLeft(tx: Sql, shiftId: number) {
  const { rows } = await sql<Moved & { is_temp: boolean; later: number | null }>`
    SELECT to_json(s.date) #>> '{}' AS treatment_date, s.log_file_id, s.is_temp, (
      SELECT max(l.shift_id) FROM shifted_devlog l WHERE l.device_id = s.device_id AND l.sent_date = s.sent_date
        AND (l.log_file_id = s.log_file_id OR l.is_temp AND s.is_temp) AND l.shift_id > s.shift_id) AS later
    FROM shifted_devlog s WHERE s.shift_id = ${shiftId} ORDER BY s.date, s.log_file_id`.execute(tx)
  return rows
}

const name = ({ treatment_date, log_file_id }: Moved) => ({ treatment_date, log_file_id })

interface Judged {
  device: number
  chosen: RawBuilder<unknown>
  by: RawBuilder<unknown>
  /** The first and the last date that is possible. */
  between: { first: string; last: string }
}

/**
 * Says which of the `chosen` records can move. One that stays may hinder others, which then stay too. Two records hinder
 * each other if they would have the same date and number, or the same date and one of them is temporary. The temporary
 * records of one use move together.
 */
async function judge(
  tx: Sql,
  { device, chosen, by, between: { first, last } }: Judged,
): Promise<{ moving: MovedTo[]; stayed: UnmovedRecord[] }> {
  const { rows } = await sql<MovedTo & { is_possible: boolean; stays: boolean }>`
    WITH RECURSIVE mover AS MATERIALIZED (
      SELECT t.id, t.treatment_date, t.log_file_id, t.is_temp, t.treatment_date + ${by} AS target,
        t.treatment_date + ${by} BETWEEN ${first}::timestamp AND ${last}::timestamp AS is_possible
      FROM (${chosen}) t
    ), hinders AS MATERIALIZED (
      SELECT b.id AS hinders, m.id FROM mover b JOIN mover m ON m.target = b.treatment_date
      WHERE m.log_file_id = b.log_file_id OR m.is_temp OR b.is_temp
      UNION ALL
      SELECT b.id, m.id FROM mover b JOIN mover m USING (treatment_date) WHERE m.is_temp AND b.is_temp
    ), stays AS (
      SELECT m.id FROM mover m
      WHERE NOT m.is_possible OR EXISTS (
        SELECT FROM device_treatments(${device}, m.target, m.target + interval '1 microsecond') t
        WHERE (t.log_file_id = m.log_file_id OR m.is_temp OR t.is_temp) AND t.id NOT IN (SELECT id FROM mover))
      UNION
      SELECT h.id FROM stays s JOIN hinders h ON h.hinders = s.id
    )
    SELECT to_json(m.treatment_date) #>> '{}' AS treatment_date, to_json(m.target) #>> '{}' AS new_date, m.log_file_id,
      m.is_possible, s.id IS NOT NULL AS stays
    FROM mover m LEFT JOIN stays s USING (id) ORDER BY m.treatment_date, m.log_file_id`.execute(tx)
  return {
    moving: rows.filter(({ stays }) => !stays).map((row) => ({ ...name(row), new_date: row.new_date })),
    stayed: rows
      .filter(({ stays }) => stays)
      .map((row) => ({
        ...name(row),
        reason: row.is_possible
          ? TAKEN
          : `its date would lie before ${EARLIEST_RECORD_DATE} or after 48 hours from now`,
      })),
  }
}

interface Move {
  device: number
  moving: readonly Moved[]
  by: RawBuilder<unknown>
  /** The shift that the journal names; none for an undoing. */
  journal?: number
}

/** Moves records and answers whose they are. */
async function move(tx: Sql, { device, moving, by, journal }: Move): Promise<number[]> {
  const { rows } = await sql<{ child: number }>`
    SELECT child FROM shift_treatments(${device}, ${moving.map(({ treatment_date }) => treatment_date)}::timestamp[],
      ${moving.map(({ log_file_id }) => log_file_id)}::int[], ${by}, ${journal ?? null})`.execute(tx)
  return rows.map(({ child }) => child)
}

const unnested = (moved: readonly Moved[]) => sql`
  unnest(${moved.map(({ treatment_date }) => treatment_date)}::timestamp[],
    ${moved.map(({ log_file_id }) => log_file_id)}::int[]) AS m (date, log_file_id)`

/** Puts on record whose records have moved: for each child on the trail, for each account in the security record. */
async function recordShift(
  tx: Sql,
  action: 'devlog_shift' | 'devlog_unshift',
  children: readonly number[],
  { device, shift, operator }: { device: number; shift: number; operator: Operator },
): Promise<void> {
  if (children.length === 0) return
  const operation = action === 'devlog_shift' ? 'companion devlog shift' : 'companion devlog unshift'
  await recordCommand(tx, operator, { operation, realUserIds: children, isChange: true })
  const accounts = await tx
    .selectFrom('real_user')
    .select('root_user_id')
    .distinct()
    .where('id', 'in', children)
    .execute()
  for (const { root_user_id } of accounts)
    await recordSecurityEvent(tx, operator, {
      action,
      rootUserId: root_user_id,
      reason: `device ${device}, shift ${shift}, by an operator`,
    })
}
