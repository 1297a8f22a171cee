import { sql as raw } from 'kysely'
import { recordSecurityEvent } from '../auth/security-record.ts'
import type { SecurityAction } from '../auth/security-record.ts'
import type { Database, Sql } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { isoTimestampSql } from '../database/wire-time.ts'
import type { Operator } from '../trail/operator.ts'
import { ratiosOf } from './verdict.ts'
import type { StopBounds, ReleaseFigures, ReleaseRatios, StopReason } from './verdict.ts'

/** Why a command about a release cannot be carried out, as a sentence for the operator. */
export class ReleaseError extends Error {
  override name = 'ReleaseError'
}

export interface Release extends StopBounds {
  release_id: number
  firmware_id: number
  hardware: string
  version: string
  /** Percentages of the devices. */
  steps: number[]
  wait_seconds: number
  state: 'open' | 'paused' | 'stopped' | 'cancelled'
  /** Counted from 1. */
  step: number
  step_began_at: string
  began_at: string
  stop_reason: StopReason | null
  stop_detail: string | null
  ended_at: string | null
}

const RELEASE = `r.id AS release_id, r.firmware_id, r.hardware, f.version, r.steps, r.wait_seconds, r.stop_failed, r.stop_silent,
  r.stop_contact_loss, r.stop_shorter, r.fewest, r.state, r.step, r.stop_reason, r.stop_detail,
  ${isoTimestampSql('r.step_began_at')} AS step_began_at, ${isoTimestampSql('r.began_at')} AS began_at, ${isoTimestampSql('r.ended_at')} AS ended_at`

export type NewRelease = StopBounds & Pick<Release, 'firmware_id' | 'steps' | 'wait_seconds'>

/** Begins a release with its first step, within a transaction. Returns its id. */
export async function beginRelease(sql: Sql, operator: Operator, given: NewRelease): Promise<number> {
  const { rows } = await raw<{ id: number; hardware: string }>`
    INSERT INTO firmware_release (firmware_id, hardware, steps, wait_seconds, stop_failed, stop_silent, stop_contact_loss, stop_shorter,
      fewest, began_at, step_began_at)
    SELECT f.id, f.hardware, ${given.steps}::int[], ${given.wait_seconds}, ${given.stop_failed}, ${given.stop_silent},
      ${given.stop_contact_loss}, ${given.stop_shorter}, ${given.fewest}, now(), now()
    FROM firmware f WHERE f.id = ${given.firmware_id} AND f.withdrawn_at IS NULL AND (f.not_after IS NULL OR f.not_after > now())
    ON CONFLICT (hardware) WHERE state = 'open' DO NOTHING RETURNING id, hardware`.execute(sql)
  const [begun] = rows
  if (begun) {
    await recordSecurityEvent(sql, operator, {
      action: 'release_begin',
      reason: `release ${begun.id}, firmware ${given.firmware_id}`,
    })
    return begun.id
  }
  const firmware = await sql
    .selectFrom('firmware')
    .select(['withdrawn_at', 'not_after', 'hardware'])
    .where('id', '=', given.firmware_id)
    .executeTakeFirst()
  if (!firmware) throw new ReleaseError(`There is no firmware ${given.firmware_id}`)
  if (firmware.withdrawn_at) throw new ReleaseError(`Firmware ${given.firmware_id} is withdrawn`)
  if (firmware.not_after && firmware.not_after <= new Date())
    throw new ReleaseError(`Firmware ${given.firmware_id} was good until ${firmware.not_after.toISOString()}`)
  throw new ReleaseError(
    `Another release for the hardware ${firmware.hardware} is open: pause or cancel it first`,
  )
}

const changes = {
  pause: {
    action: 'release_pause',
    set: raw`state = 'paused'`,
    when: raw`state = 'open'`,
    needs: 'open',
  },
  // Its step waits again from now on: nobody was offered anything in between.
  resume: {
    action: 'release_resume',
    set: raw`state = 'open', step_began_at = now()`,
    when: raw`state = 'paused' AND NOT EXISTS (
      SELECT FROM firmware_release o WHERE o.hardware = r.hardware AND o.state = 'open')`,
    needs: 'paused, with no other open release for the hardware',
  },
  next: {
    action: 'release_next',
    set: raw`step = step + 1, step_began_at = now()`,
    when: raw`state = 'open' AND step < cardinality(steps)`,
    needs: 'open, with a step left',
  },
  cancel: {
    action: 'release_cancel',
    set: raw`state = 'cancelled', ended_at = now()`,
    when: raw`state <> 'cancelled'`,
    needs: 'open, paused or stopped',
  },
} satisfies Record<string, { action: SecurityAction; set: object; when: object; needs: string }>

export type ReleaseChange = keyof typeof changes

/** Changes the state of a release, within a transaction. Throws `ReleaseError` where the state does not allow it. */
export async function changeRelease(
  sql: Sql,
  operator: Operator,
  releaseId: number,
  change: ReleaseChange,
): Promise<void> {
  const { action, set, when, needs } = changes[change]
  const { rows } = await raw<{ step: number }>`
    UPDATE firmware_release r SET ${set} WHERE id = ${releaseId} AND ${when} RETURNING step`.execute(sql)
  const [changed] = rows
  if (changed) {
    await recordSecurityEvent(sql, operator, { action, reason: `release ${releaseId}, step ${changed.step}` })
    return
  }
  const release = await sql
    .selectFrom('firmware_release')
    .select('state')
    .where('id', '=', releaseId)
    .executeTakeFirst()
  throw new ReleaseError(
    release
      ? `Release ${releaseId} is ${release.state}; this needs one that is ${needs}`
      : `There is no release ${releaseId}`,
  )
}

/** Lists the releases, newest first. */
export async function listReleases({ pool }: Pick<Database, 'pool'>, limit: number): Promise<Release[]> {
  const { rows } = await pool.query<Release>(
    `SELECT ${RELEASE} FROM firmware_release r JOIN firmware f ON f.id = r.firmware_id ORDER BY r.id DESC LIMIT $1`,
    [limit],
  )
  return rows
}

const selectFigures = statement<{ figures: ReleaseFigures }>(
  'firmware-figures',
  'SELECT to_jsonb(f) AS figures FROM firmware_figures($1, $2, $3) f',
)

/** Counts what a release is judged by at a moment. */
export async function figuresOf(
  { query }: Pick<Database, 'query'>,
  releaseId: number,
  { at, timeZone }: { at: Date; timeZone: string },
): Promise<ReleaseFigures> {
  const [found] = await query(selectFigures, [releaseId, at, timeZone])
  if (!found) throw new Error(`release ${releaseId} has no figures`)
  return found.figures
}

/** A release with how far it has come; undefined if there is none. `covered` of `devices` connected devices are in its step. */
export async function showRelease(
  database: Pick<Database, 'pool' | 'query'>,
  releaseId: number,
  around: { at: Date; timeZone: string },
): Promise<
  (Release & { devices: number; covered: number; figures: ReleaseFigures; ratios: ReleaseRatios }) | undefined
> {
  const { rows } = await database.pool.query<Release & { devices: number; covered: number }>(
    `SELECT ${RELEASE}, d.devices, d.covered
     FROM firmware_release r JOIN firmware f ON f.id = r.firmware_id
     CROSS JOIN LATERAL (
       SELECT count(*)::int AS devices,
         (count(*) FILTER (WHERE firmware_bucket(r.id, d.unique_id) * 100 < r.steps[r.step] * 4294967296))::int AS covered
       FROM device d WHERE d.hardware = r.hardware AND d.hardware <> 'unknown' AND d.real_user_id IS NOT NULL
     ) d
     WHERE r.id = $1`,
    [releaseId],
  )
  const [release] = rows
  if (!release) return undefined
  const figures = await figuresOf(database, releaseId, around)
  return { ...release, figures, ratios: ratiosOf(figures) }
}
