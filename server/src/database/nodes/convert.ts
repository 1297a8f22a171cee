import { setTimeout as pause } from 'node:timers/promises'
import type { MikroORM } from '@mikro-orm/postgresql'
import type { Pool } from 'pg'
import { sql } from 'kysely'
import { conversionLockHolders } from '../mutex.ts'
import { readDatabaseLayout, switchDatabaseLayout, withShortTableLocks } from '../migrate.ts'
import type { MigrateOptions } from '../migrate.ts'
import { isLockConflict } from '../sql-errors.ts'

/* The way from one PostgreSQL to a distributed one, and back; see docs/decisions/distributed.md. */

export type ConvertOptions = Pick<MigrateOptions, 'warn' | 'report'>

/**
 * By which column each table is distributed, in the order in which they are. The rows that are locked go before the records that
 * they guard: in their shard they guard records that are still on one machine too.
 */
export const distributedTables = [
  { table: 'device_lock', column: 'id', beside: null },
  { table: 'treatment', column: 'device_id', beside: 'device_lock' },
  { table: 'basestation_lock', column: 'id', beside: null },
  { table: 'sleep_reading', column: 'basestation_id', beside: 'basestation_lock' },
  { table: 'reading_day', column: 'basestation_id', beside: 'basestation_lock' },
  { table: 'child_lock', column: 'id', beside: null },
  { table: 'event', column: 'real_user_id', beside: 'child_lock' },
  { table: 'event_version', column: 'child_id', beside: 'child_lock' },
  { table: 'survey', column: 'real_user_id', beside: 'child_lock' },
] as const

/** Why a database with such indexes is not distributed. */
export const MONTHLY_INDEXES_ERROR =
  'the indexes of treatments begin with the month: run `companion migrate --monthly --undo` first'

/**
 * Brings tables and functions into the form in which they can be distributed, while servers go on: everything works as before,
 * still on one machine. Goes on where another process has ended.
 */
export async function prepareDistribution(orm: MikroORM, options: ConvertOptions): Promise<void> {
  if ((await orm.em.getConnection().transactional(readDatabaseLayout)) === 'monthly')
    throw new Error(MONTHLY_INDEXES_ERROR)
  const pool = await orm.em.getConnection().getNativeClient()
  await registerTwoPhases(pool)
  if (!(await isSwitched(orm))) {
    await buildIndexes(pool, [
      ['UNIQUE', 'event_key', 'event (real_user_id, id)'],
      ['UNIQUE', 'survey_key', 'survey (real_user_id, id)'],
      ['UNIQUE', 'event_version_key', 'event_version (child_id, event_id, version)'],
      // Read for one device of the child, so that the index alone has to answer for the device too.
      usesIndex('treatment_time, last_intensity, movement, is_temp, device_id'),
    ])
    await withShortTableLocks(orm, options, (transaction, wait) =>
      switchDatabaseLayout(transaction, wait, { tables: ['nodes/up.sql'], to: 'distributed' }),
    )
  }
  await untilOthersEnd(pool, options)
  // The functions of one machine do not keep it.
  await pool.query(
    `UPDATE device SET last_temporary_date = 'infinity' WHERE last_temporary_date < 'infinity'`,
  )
}

/**
 * Distributes the prepared tables over the nodes one by one, while servers go on. Goes on where another process has ended.
 */
export async function distributeTables(
  orm: MikroORM,
  { shards, ...options }: ConvertOptions & { shards: number },
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
  await linkRecordsToLocks(orm, options)
}

/**
 * Lets each record that is stored from now on refer to the row in `device_lock` that guards it; see `store_records`. Tables
 * with such a reference could not be distributed while servers go on.
 */
export async function linkRecordsToLocks(orm: MikroORM, options: ConvertOptions): Promise<void> {
  await withShortTableLocks(orm, options, async (transaction, wait) => {
    await sql.raw(`SET LOCAL lock_timeout = ${wait}`).execute(transaction)
    const { rows } = await sql`SELECT FROM distribution WHERE is_guarded`.execute(transaction)
    if (rows.length > 0) return
    await sql`ALTER TABLE treatment ADD CONSTRAINT ${GUARD} FOREIGN KEY (device_id) REFERENCES device_lock (id) NOT VALID`.execute(
      transaction,
    )
    await sql`UPDATE distribution SET is_guarded = true`.execute(transaction)
  })
}

const GUARD = sql.id('treatment_device_lock_fkey')

/** Ends what `linkRecordsToLocks` began. A process that stores records relies on it until its transaction ends, and so does the lock. */
async function unguardRecords(orm: MikroORM, options: ConvertOptions): Promise<void> {
  await withShortTableLocks(orm, options, async (transaction, wait) => {
    await sql.raw(`SET LOCAL lock_timeout = ${wait}`).execute(transaction)
    await sql`LOCK TABLE distribution IN ACCESS EXCLUSIVE MODE`.execute(transaction)
    await sql`UPDATE distribution SET is_guarded = false`.execute(transaction)
    await sql`ALTER TABLE treatment DROP CONSTRAINT IF EXISTS ${GUARD}`.execute(transaction)
  })
}

/** Takes distributed tables back to one machine. Nobody can write to a table that is under way. */
export async function undistribute(orm: MikroORM, options: ConvertOptions): Promise<void> {
  const pool = await orm.em.getConnection().getNativeClient()
  await unguardRecords(orm, options)
  const back = distributedTables.toReversed()
  const left = await listCitusTables(pool)
  for (const [n, each] of back.entries()) {
    options.report?.(`tables taken back, now ${each.table}`, n, n / back.length)
    if (left.includes(each.table)) await takeBack(pool, each, options.warn)
  }
  if (await isSwitched(orm)) {
    await buildIndexes(pool, [
      ['UNIQUE', 'event_key', 'event (id)'],
      ['UNIQUE', 'survey_key', 'survey (id)'],
      ['UNIQUE', 'event_version_key', 'event_version (event_id, version)'],
      usesIndex('treatment_time, last_intensity, movement, is_temp'),
    ])
    await withShortTableLocks(orm, options, (transaction, wait) =>
      switchDatabaseLayout(transaction, wait, { tables: ['nodes/down.sql'], to: 'plain' }),
    )
  } else await dropIndexes(pool, ['event_key', 'survey_key', 'event_version_key', 'treatment_uses'])
  for (const [table, constraint] of [
    ['survey', 'survey_real_user_id_fkey'],
    ['event', 'event_real_user_id_fkey'],
    ['event_version', 'event_version_event_id_fkey'],
  ])
    await pool.query(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${constraint}`)
}

const isSwitched = async (orm: MikroORM) =>
  (await orm.em.getConnection().transactional(readDatabaseLayout)) === 'distributed'

const REST_MS = 1000

/**
 * Waits until all transactions of now have ended: a call that was waiting for its first table goes on in the function in which it
 * has begun, which knows nothing of several nodes.
 */
async function untilOthersEnd(pool: Pool, { warn }: ConvertOptions): Promise<void> {
  const { rows: now } = await pool.query<{ at: string }>('SELECT clock_timestamp()::text AS at')
  for (let hasWarned = false; ; hasWarned = true) {
    const { rows } = await pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'
         AND pid <> pg_backend_pid() AND pid NOT IN (${conversionLockHolders}) AND xact_start <= $1 LIMIT 1`,
      [now[0]?.at],
    )
    if (rows.length === 0) return
    if (!hasWarned) warn('Waiting for the transactions that had begun before the functions changed')
    await pause(SHORT_REST_MS)
  }
}

const SHORT_REST_MS = 50

/** A writer takes the rows that guard the records first, and so does this: otherwise they could wait for each other. */
async function takeBack(
  pool: Pool,
  { table, beside }: (typeof distributedTables)[number],
  warn: ConvertOptions['warn'],
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
        if (!isLockConflict(error)) throw error
      }
      warn(`${table} is in use, trying again`)
      await pause(REST_MS)
    }
  } finally {
    client.release()
  }
}

/** Makes Citus know the table of `commit_in_two_phases`, before others use it: it is locked for that. */
async function registerTwoPhases(pool: Pool): Promise<void> {
  if ((await hasCitus(pool)) && !(await listCitusTables(pool)).includes('two_phases'))
    await pool.query(`SELECT citus_add_local_table_to_metadata('two_phases')`)
}

export async function hasCitus(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query(`SELECT WHERE to_regclass('pg_dist_partition') IS NOT NULL`)
  return rows.length > 0
}

/** The tables whose rows lie on several nodes. */
const distributedNames = (pool: Pool) => listCitusTables(pool, `partmethod = 'h'`)

/** The tables that Citus knows, also those whose way to other nodes was interrupted. */
export async function listCitusTables(pool: Pool, condition = 'true'): Promise<string[]> {
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
