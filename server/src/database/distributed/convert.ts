import { setTimeout as pause } from 'node:timers/promises'
import type { MikroORM } from '@mikro-orm/postgresql'
import type { Pool } from 'pg'
import { sql } from 'kysely'
import { guards } from '../alone.ts'
import { formOf, read, switchFunctions, undisturbed } from '../migrate.ts'
import type { Migrating } from '../migrate.ts'
import { isOfOthersLocks } from '../refusal.ts'

/* The way from one PostgreSQL to a distributed one, and back; see docs/decisions/distributed.md. */

export type Converting = Pick<Migrating, 'warn' | 'report'>

/**
 * By which column each table is distributed, in the order in which they are. The rows that are locked go before the records that
 * they guard: in their shard they guard records that are still on one machine too.
 */
export const distributedTables = [
  { table: 'device_head', column: 'id', beside: null },
  { table: 'treatment', column: 'device_id', beside: 'device_head' },
  { table: 'basestation_head', column: 'id', beside: null },
  { table: 'sleep_reading', column: 'basestation_id', beside: 'basestation_head' },
  { table: 'reading_day', column: 'basestation_id', beside: 'basestation_head' },
  { table: 'child_head', column: 'id', beside: null },
  { table: 'event', column: 'real_user_id', beside: 'child_head' },
  { table: 'event_version', column: 'child_id', beside: 'child_head' },
  { table: 'survey', column: 'real_user_id', beside: 'child_head' },
] as const

/** Why a database with such indexes is not distributed. */
export const MONTHS_LEAD =
  'the indexes of treatments begin with the month: run `companion migrate --monthly --undo` first'

/**
 * Brings tables and functions into the form in which they can be distributed, while servers go on: everything works as before,
 * still on one machine. Goes on where another process has ended.
 */
export async function prepareDistribution(orm: MikroORM, options: Converting): Promise<void> {
  if ((await orm.em.getConnection().transactional(formOf)) === 'monthly') throw new Error(MONTHS_LEAD)
  await undisturbed(orm, options, async (transaction, wait) => {
    await sql.raw(`SET LOCAL lock_timeout = ${wait}`).execute(transaction)
    const { rows } = await sql`SELECT WHERE to_regclass('distribution') IS NULL`.execute(transaction)
    if (rows.length > 0)
      for (const file of ['tables', 'beside-triggers/keep-event-version'])
        await sql.raw(read(`distributed/${file}.sql`)).execute(transaction)
    await sql.raw(read('distributed/functions/commit-in-two-phases.sql')).execute(transaction)
  })
  const pool = await orm.em.getConnection().getNativeClient()
  await tellOfTwoPhases(pool)
  const isSwitched = (await orm.em.getConnection().transactional(formOf)) === 'distributed'
  if (!isSwitched) {
    await fillWorn(pool, options.report)
    await fillVersions(pool, options.report)
    await buildIndexes(pool, [
      ['UNIQUE', 'event_key', 'event (real_user_id, id)'],
      ['UNIQUE', 'survey_key', 'survey (real_user_id, id)'],
      ['UNIQUE', 'event_version_key', 'event_version (child_id, event_id, version)'],
      // Read for one device of the child, so that the index alone has to answer for the device too.
      usesIndex('treatment_time, last_intensity, movement, is_temp, device_id'),
    ])
    await pool.query('ALTER TABLE event_version DROP CONSTRAINT IF EXISTS event_version_child')
    await pool.query(
      'ALTER TABLE event_version ADD CONSTRAINT event_version_child CHECK (child_id IS NOT NULL) NOT VALID',
    )
    await pool.query('ALTER TABLE event_version VALIDATE CONSTRAINT event_version_child')
    await undisturbed(orm, options, (transaction, wait) =>
      switchFunctions(transaction, wait, { tables: ['distributed/switch.sql'], to: 'coming' }),
    )
  }
  const { rows: triggers } = await pool.query(`SELECT WHERE to_regprocedure('count_readings()') IS NOT NULL`)
  if (triggers.length === 0) return
  await untilOthersEnd(pool, options)
  await undisturbed(orm, options, (transaction, wait) =>
    switchFunctions(transaction, wait, { to: 'distributed' }),
  )
}

/**
 * Distributes the prepared tables over the nodes one by one, while servers go on. Goes on where another process has ended.
 */
export async function distributeTables(
  orm: MikroORM,
  { shards, ...options }: Converting & { shards: number },
): Promise<void> {
  const { report } = options
  const pool = await orm.em.getConnection().getNativeClient()
  const done = await distributedNames(pool)
  for (const [n, { table, column, beside }] of distributedTables.entries()) {
    report?.(`tables distributed, now ${table}`, n, n / distributedTables.length)
    if (done.includes(table)) continue
    await pool.query(
      `SELECT create_distributed_table_concurrently($1::regclass, $2, colocate_with => $3, shard_count => $4)`,
      [table, column, beside ?? 'none', beside === null ? shards : null],
    )
  }
  await guardRecords(orm, options)
}

/**
 * Lets each record that is stored from now on refer to the row in `device_head` that guards it; see `keep_records`. Tables
 * with such a reference could not be distributed while servers go on.
 */
export async function guardRecords(orm: MikroORM, options: Converting): Promise<void> {
  await undisturbed(orm, options, async (transaction, wait) => {
    await sql.raw(`SET LOCAL lock_timeout = ${wait}`).execute(transaction)
    const { rows } = await sql`SELECT FROM distribution WHERE is_guarded`.execute(transaction)
    if (rows.length > 0) return
    await sql`ALTER TABLE treatment ADD CONSTRAINT ${GUARD} FOREIGN KEY (device_id) REFERENCES device_head (id) NOT VALID`.execute(
      transaction,
    )
    await sql`UPDATE distribution SET is_guarded = true`.execute(transaction)
  })
}

const GUARD = sql.id('treatment_device_head_fkey')

/** Ends what `guardRecords` began. Who stores records relies on it until their transaction ends, and so does the lock. */
async function unguardRecords(orm: MikroORM, options: Converting): Promise<void> {
  await undisturbed(orm, options, async (transaction, wait) => {
    await sql.raw(`SET LOCAL lock_timeout = ${wait}`).execute(transaction)
    await sql`LOCK TABLE distribution IN ACCESS EXCLUSIVE MODE`.execute(transaction)
    await sql`UPDATE distribution SET is_guarded = false`.execute(transaction)
    await sql`ALTER TABLE treatment DROP CONSTRAINT IF EXISTS ${GUARD}`.execute(transaction)
  })
}

/** Takes distributed tables back to one machine. Nobody can write to a table that is under way. */
export async function undistribute(orm: MikroORM, options: Converting): Promise<void> {
  const pool = await orm.em.getConnection().getNativeClient()
  const { rows } = await pool.query(`SELECT WHERE to_regclass('distribution') IS NOT NULL`)
  if (rows.length === 0) return
  await unguardRecords(orm, options)
  const back = distributedTables.toReversed()
  const left = await citusNames(pool)
  for (const [n, each] of back.entries()) {
    options.report?.(`tables taken back, now ${each.table}`, n, n / back.length)
    if (left.includes(each.table)) await takeBack(pool, each, options.warn)
  }
  const isSwitched = (await orm.em.getConnection().transactional(formOf)) === 'distributed'
  if (isSwitched) {
    await buildIndexes(pool, [
      ['UNIQUE', 'event_key', 'event (id)'],
      ['UNIQUE', 'survey_key', 'survey (id)'],
      ['UNIQUE', 'event_version_key', 'event_version (event_id, version)'],
      usesIndex('treatment_time, last_intensity, movement, is_temp'),
    ])
    await undisturbed(orm, options, (transaction, wait) =>
      switchFunctions(transaction, wait, { tables: ['distributed/back.sql'], to: 'leaving' }),
    )
  } else await dropIndexes(pool, ['event_key', 'survey_key', 'event_version_key', 'treatment_uses'])
  await untilOthersEnd(pool, options)
  await undisturbed(orm, options, (transaction, wait) =>
    switchFunctions(transaction, wait, { tables: ['distributed/remove.sql'], to: 'plain' }),
  )
  for (const [table, constraint] of [
    ['survey', 'survey_real_user_id_fkey'],
    ['event', 'event_real_user_id_fkey'],
    ['event_version', 'event_version_event_id_fkey'],
  ])
    await pool.query(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${constraint}`)
}

const REST_MS = 1000

/**
 * Waits until all transactions of now have ended: a call that was waiting for its first table goes on in the function in which it
 * has begun, however the functions have changed meanwhile.
 */
async function untilOthersEnd(pool: Pool, { warn }: Converting): Promise<void> {
  const { rows: now } = await pool.query<{ at: string }>('SELECT clock_timestamp()::text AS at')
  for (let isTold = false; ; isTold = true) {
    const { rows } = await pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'
         AND pid <> pg_backend_pid() AND pid NOT IN (${guards}) AND xact_start <= $1 LIMIT 1`,
      [now[0]?.at],
    )
    if (rows.length === 0) return
    if (!isTold) warn('Waiting for the transactions that had begun before the functions changed')
    await pause(SHORT_REST_MS)
  }
}

const SHORT_REST_MS = 50

/** Who writes takes the rows that guard the records first, and so does this: otherwise they could wait for each other. */
async function takeBack(
  pool: Pool,
  { table, beside }: (typeof distributedTables)[number],
  warn: Converting['warn'],
): Promise<void> {
  const client = await pool.connect()
  try {
    for (;;) {
      try {
        await client.query('BEGIN')
        if (beside !== null) await client.query(`LOCK TABLE ${beside} IN ACCESS EXCLUSIVE MODE`)
        await client.query('SELECT undistribute_table($1::regclass)', [table])
        await client.query('COMMIT')
        return
      } catch (error) {
        await client.query('ROLLBACK')
        if (!isOfOthersLocks(error)) throw error
      }
      warn(`${table} is in use, trying again`)
      await pause(REST_MS)
    }
  } finally {
    client.release()
  }
}

/** Makes Citus know the table of `commit_in_two_phases`, before others use it: it is locked for that. */
async function tellOfTwoPhases(pool: Pool): Promise<void> {
  if ((await hasCitus(pool)) && !(await citusNames(pool)).includes('two_phases'))
    await pool.query(`SELECT citus_add_local_table_to_metadata('two_phases')`)
}

async function hasCitus(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query(`SELECT WHERE to_regclass('pg_dist_partition') IS NOT NULL`)
  return rows.length > 0
}

/** The tables whose rows lie on several nodes. */
const distributedNames = (pool: Pool) => citusNames(pool, `partmethod = 'h'`)

/** The tables that Citus knows, also those whose way to other nodes was interrupted. */
export async function citusNames(pool: Pool, condition = 'true'): Promise<string[]> {
  if (!(await hasCitus(pool))) return []
  const { rows } = await pool.query<{ name: string }>(
    `SELECT logicalrelid::text AS name FROM pg_dist_partition WHERE ${condition}`,
  )
  return rows.map(({ name }) => name)
}

type Index = readonly [kind: 'UNIQUE' | '', name: string, on: string]

const usesIndex = (columns: string): Index => [
  '',
  'treatment_uses',
  `treatment (real_user_id, treatment_date) INCLUDE (${columns}) WHERE deleted_at IS NULL`,
]

/** Builds indexes while others write. One that was interrupted is left invalid, and is built again. */
async function buildIndexes(pool: Pool, indexes: readonly Index[]): Promise<void> {
  for (const [kind, name, on] of indexes) {
    await dropIndexes(pool, [name])
    await pool.query(`CREATE ${kind} INDEX CONCURRENTLY ${name} ON ${on}`)
  }
}

async function dropIndexes(pool: Pool, names: readonly string[]): Promise<void> {
  for (const name of names) await pool.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`)
}

const DEVICES_AT_ONCE = 1000
const NOTES_AT_ONCE = 10_000

/** Notes who has records of which device, also from before that was kept. */
const fillWorn = (pool: Pool, report?: Migrating['report']) =>
  inSteps(pool, {
    place: 'device',
    most: DEVICES_AT_ONCE,
    step: `INSERT INTO worn (wearer_id, device_id)
      SELECT real_user_id, device_id FROM treatment WHERE device_id > $1 AND device_id <= $2 AND deleted_at IS NULL
      UNION SELECT real_user_id, device_id FROM devlog_deletion
        WHERE device_id > $1 AND device_id <= $2 AND real_user_id IS NOT NULL
      UNION SELECT real_user_id, id FROM device WHERE id > $1 AND id <= $2 AND real_user_id IS NOT NULL
      ON CONFLICT DO NOTHING`,
    ...(report && { report: (done: number, share: number) => report('devices looked through', done, share) }),
  })

/** Gives each version of a note the child whose note it is. */
const fillVersions = (pool: Pool, report?: Migrating['report']) =>
  inSteps(pool, {
    place: 'note',
    most: NOTES_AT_ONCE,
    step: `UPDATE event_version v SET child_id = e.real_user_id FROM event e
      WHERE e.id = v.event_id AND v.event_id > $1 AND v.event_id <= $2 AND v.child_id IS NULL`,
    ...(report && { report: (done: number, share: number) => report('notes looked through', done, share) }),
  })

interface Steps {
  /** The column of `distribution` that says up to where they are done. */
  place: 'device' | 'note'
  /** How many ids a step is about. */
  most: number
  /** For the ids after `$1` up to `$2`. */
  step: string
  report?: (done: number, share: number) => void
}

/** Each step is done with the note of its place, or not at all. New rows need none. */
async function inSteps(pool: Pool, { place, most, step, report }: Steps): Promise<void> {
  const owners = place === 'device' ? 'device' : 'event'
  for (;;) {
    const { rows } = await pool.query<{ behind: number; up_to: number | null; last: number }>(
      `SELECT ${place} AS behind, (SELECT max(id) FROM ${owners})::int AS last,
         (SELECT max(id) FROM (SELECT id FROM ${owners} WHERE id > ${place} ORDER BY id LIMIT ${most}) o)::int AS up_to
       FROM distribution WHERE ${place} IS NOT NULL`,
    )
    const [at] = rows
    if (!at) return
    if (at.up_to === null) {
      await pool.query(`UPDATE distribution SET ${place} = NULL`)
      return
    }
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      await client.query(step, [at.behind, at.up_to])
      await client.query(`UPDATE distribution SET ${place} = $1`, [at.up_to])
      await client.query('COMMIT')
    } catch (error) {
      await client.query('ROLLBACK')
      throw error
    } finally {
      client.release()
    }
    report?.(at.up_to, at.up_to / at.last)
  }
}
