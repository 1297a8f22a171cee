import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Migration } from '@mikro-orm/migrations'
import type { MikroORM, Transaction } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Pool } from 'pg'
import { rewriteForDistributedTables } from './nodes/distributed-function.ts'
import { DatabaseRequirementError } from './negotiated-client.ts'
import { isLockConflict } from './sql-errors.ts'
import { watchIndexBuilds } from './watch-index-builds.ts'
import type { ReportIndexBuild } from './watch-index-builds.ts'

/* How the schema comes into a database; see docs/decisions/schema-in-sql.md. */

export const readSqlFile = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8')

/** The SQL files of a folder beside this file, in the order of their names. */
const filesIn = (folder: string) =>
  globSync('*.sql', { cwd: join(import.meta.dirname, folder) })
    .toSorted()
    .map((file) => ({ name: basename(file, '.sql'), text: readSqlFile(join(folder, file)) }))

/** Each is applied to a database once, in this order. */
export const migrations = filesIn('migrations').map(({ name, text }) => ({
  name,
  text,
  class: class extends Migration {
    override up(): void {
      this.addSql(text)
    }
  },
}))

const hashed = (name: string, text: string) => ({
  name,
  text,
  hash: createHash('sha256').update(text).digest('hex'),
})

const functionsIn = (folder: string) => filesIn(folder).map(({ name, text }) => hashed(name, text))

/** Each is applied when the database has never seen its text. */
const onOneMachine = functionsIn('functions')

/** The plain functions, with some bodies replaced and some functions added by `folder`. */
const otherwise = (folder: string, like = onOneMachine) => {
  const others = functionsIn(folder)
  return [...like.filter(({ name }) => !others.some((other) => other.name === name)), ...others]
}

const onSeveralMachines = otherwise(
  'nodes/functions',
  onOneMachine.map(({ name, text }) => hashed(name, rewriteForDistributedTables(text))),
)

/**
 * The functions by the form of the tables: as the migrations make them, with indexes of treatments that begin with the month, or
 * distributed over several machines.
 */
const lists = {
  plain: onOneMachine,
  monthly: otherwise('monthly/functions'),
  distributed: onSeveralMachines,
}
export type DatabaseLayout = keyof typeof lists

/** In SQL, the form whose functions are in force. */
const form = `CASE
  -- \`nodes/up.sql\` takes the identity.
  WHEN EXISTS (SELECT 1 FROM pg_attribute
    WHERE attrelid = to_regclass('event') AND attname = 'id' AND attidentity = '') THEN 'distributed'
  WHEN to_regprocedure('calendar_months(timestamp, timestamp)') IS NOT NULL THEN 'monthly' ELSE 'plain' END`

export async function readDatabaseLayout(connection: Transaction): Promise<DatabaseLayout> {
  const { rows } = await sql<{ form: DatabaseLayout }>`SELECT ${sql.raw(form)} AS form`.execute(connection)
  return rows[0]?.form ?? 'plain'
}

/** One of the 19 migrations that `0001-schema` replaced. */
const REPLACED = '0002-deletions-of-a-child'
const rowTypes = readSqlFile('nodes/row-types.sql')

/**
 * Whether nothing is left that this code would apply; newer code may have applied more. And whether the server takes
 * writes, unlike a standby, or a primary that was made read-only.
 */
export async function schemaState(pool: Pool): Promise<{ isMigrated: boolean; isWritable: boolean }> {
  const hashes = Object.entries(lists).map(([name, each]) => [name, each.map(({ hash }) => hash)])
  const { rows } = await pool.query<{ lacking: number; is_writable: boolean }>(
    `SELECT cardinality($1::text[]) - (SELECT count(*) FROM migration WHERE name = ANY ($1))::int
       + (SELECT cardinality(wanted) - (SELECT count(*) FROM applied_function WHERE hash = ANY (wanted))::int
          FROM (SELECT ARRAY(SELECT jsonb_array_elements_text($2::jsonb -> ${form})) AS wanted) w) AS lacking,
       current_setting('transaction_read_only') = 'off' AS is_writable`,
    [migrations.map(({ name }) => name), JSON.stringify(Object.fromEntries(hashes))],
  )
  const [row] = rows
  return {
    isMigrated: row?.lacking === 0,
    isWritable: row?.is_writable === true,
  }
}

const LOCK = 7_305_011_120
/**
 * How long tables in use may be waited for, at first and at most. Everybody else who comes to them waits behind. At most
 * shorter than PostgreSQL's `deadlock_timeout`: of transactions that wait for each other, this one gives up.
 */
const SHORTEST_WAIT_MS = 100
const LONGEST_WAIT_MS = 800
/** Longer than `deadlock_timeout`: only then does an autovacuum of the table give way. */
const AUTOVACUUM_WAIT_MS = 2000
/** How much longer the tables are left to others, after each wait without success. */
const REST = 4
/** The tables that frequent transactions take first. A transaction that waits for one of them holds none that is locked later. */
const TAKEN_FIRST = ['device', 'basestation', 'event', 'root_user']

export interface MigrateOptions {
  /** Whether functions that other code has replaced since are due as well. */
  downgrade: boolean
  /** Takes what is waited for. */
  warn: (line: string) => void
  /** Takes the progress of building indexes. */
  report?: ReportIndexBuild
}

/**
 * Applies the migrations and functions that are due, all or none; processes that do so at once wait for each other.
 * Returns their names.
 */
export async function migrate(orm: MikroORM, { downgrade, ...options }: MigrateOptions): Promise<string[]> {
  return withShortTableLocks(orm, options, (transaction, wait) => applyDue(orm, transaction, downgrade, wait))
}

/**
 * Changes the schema in one transaction, of which `work` waits for tables no longer than it is told; others who change it wait
 * for this. It is done again while tables are in use.
 */
export async function withShortTableLocks<Result>(
  orm: MikroORM,
  { warn, report }: Pick<MigrateOptions, 'warn' | 'report'>,
  work: (transaction: Transaction, wait: number) => Promise<Result>,
): Promise<Result> {
  const connection = orm.em.getConnection()
  return connection.transactional(async (turn) => {
    // Held by the transaction, not by the session: this works behind a transaction pooler too.
    await sql`SELECT pg_advisory_xact_lock(${LOCK})`.execute(turn)
    const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(turn)
    const [{ pid } = { pid: 0 }] = rows
    const attempt = <Done>(part: (transaction: Transaction) => Promise<Done>) =>
      connection.transactional(part, { ctx: turn })
    for (let wait = SHORTEST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      const watching = report && watchIndexBuilds(orm, pid, report)
      try {
        return await attempt((transaction) => work(transaction, wait))
      } catch (error) {
        if (!isLockConflict(error)) throw error
      } finally {
        await watching?.stop()
      }
      warn('The schema is not brought up to date yet: its tables are in use, trying again')
      let hasGivenWay = false
      for (const table of await tablesInAutovacuum(turn)) {
        await attempt(async (transaction) => {
          await lockTables(transaction, [table], AUTOVACUUM_WAIT_MS)
          throw new GivenBack()
        }).catch((error: unknown) => {
          if (error instanceof GivenBack) hasGivenWay = true
          else if (!isLockConflict(error)) throw error
        })
      }
      // An autovacuum that has given way is soon begun again.
      if (!hasGivenWay) await pause(REST * wait)
    }
  })
}

/** Ends an attempt whose locks are given back. */
class GivenBack extends Error {}

/** Returns the names of the migrations and functions that `migrate` would apply, in their order. Changes nothing. */
export async function listPendingMigrations(orm: MikroORM): Promise<string[]> {
  return orm.em.getConnection().transactional(async (transaction) => {
    const applied = await appliedMigrations(transaction)
    const functions = applied.length > 0 ? await dueFunctions(transaction, false) : onOneMachine
    return [...migrations.filter(({ name }) => !applied.includes(name)), ...functions].map(({ name }) => name)
  })
}

async function applyDue(
  orm: MikroORM,
  transaction: Transaction,
  downgrade: boolean,
  wait: number,
): Promise<string[]> {
  await assertEncoding(transaction)
  const done = await appliedMigrations(transaction)
  if (done.includes(REPLACED))
    throw new DatabaseRequirementError(
      'a version made it that is too old for this one: docs/operations/upgrade.md says which version has to migrate it first',
    )
  await sql`
    CREATE TABLE IF NOT EXISTS applied_function (
      hash       text PRIMARY KEY,
      name       text NOT NULL,
      applied_at timestamptz NOT NULL
    )`.execute(transaction)
  const due = () => dueFunctions(transaction, downgrade)
  if ((await due()).length > 0 || migrations.some(({ name }) => !done.includes(name)))
    await lockTables(transaction, await allTables(transaction), wait)
  const applied = await orm.migrator.up({ transaction })
  const functions = await due()
  await applyFunctions(transaction, functions)
  return [...applied, ...functions].map(({ name }) => name)
}

async function dueFunctions(transaction: Transaction, downgrade: boolean): Promise<typeof onOneMachine> {
  const inForce = sql<{ hash: string }>`
    SELECT DISTINCT ON (name) hash FROM applied_function ORDER BY name, applied_at DESC`
  const known = sql<{ hash: string }>`SELECT hash FROM applied_function`
  const { rows } = await (downgrade ? inForce : known).execute(transaction)
  return lists[await readDatabaseLayout(transaction)].filter(
    ({ hash }) => !rows.some((row) => row.hash === hash),
  )
}

/** Refuses a database whose texts would be bytes of any kind, as long as it is empty. */
async function assertEncoding(transaction: Transaction): Promise<void> {
  const { rows } = await sql<{ encoding: string }>`
    SELECT current_setting('server_encoding') AS encoding WHERE to_regclass('migration') IS NULL`.execute(
    transaction,
  )
  const encoding = rows[0]?.encoding ?? 'UTF8'
  if (encoding !== 'UTF8')
    throw new DatabaseRequirementError(
      `its encoding is ${encoding}: name one that was made by CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
    )
}

async function applyFunctions(transaction: Transaction, functions: typeof onOneMachine): Promise<void> {
  await sql.raw(rowTypes).execute(transaction)
  // One function may use another whose file comes later.
  await sql`SET LOCAL check_function_bodies = off`.execute(transaction)
  for (const { name, text, hash } of functions) {
    await sql.raw(text).execute(transaction)
    // A newer version that was taken back may come again, and then has to apply the texts that are replaced here.
    await sql`
      DELETE FROM applied_function a USING applied_function own
      WHERE own.hash = ${hash} AND a.name = own.name AND a.applied_at > own.applied_at`.execute(transaction)
    await sql`
      INSERT INTO applied_function (hash, name, applied_at) VALUES (${hash}, ${name}, clock_timestamp())
      ON CONFLICT (hash) DO UPDATE SET applied_at = excluded.applied_at`.execute(transaction)
  }
}

/** Runs the SQL files `tables`, which change tables for another form, and applies the functions for it. */
export async function switchDatabaseLayout(
  transaction: Transaction,
  wait: number,
  { tables, to }: { tables: readonly string[]; to: DatabaseLayout },
): Promise<void> {
  await lockTables(transaction, await allTables(transaction), wait)
  for (const file of tables) await sql.raw(readSqlFile(file)).execute(transaction)
  await applyFunctions(transaction, lists[to])
}

async function appliedMigrations(transaction: Transaction): Promise<string[]> {
  const { rows: tables } = await sql`SELECT WHERE to_regclass('migration') IS NOT NULL`.execute(transaction)
  if (tables.length === 0) return []
  const { rows } = await sql<{ name: string }>`SELECT name FROM migration`.execute(transaction)
  return rows.map(({ name }) => name)
}

/** The tables that servers work with, in the order in which they are locked. */
async function allTables(transaction: Transaction): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT c.oid::regclass::text AS name FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
      AND c.relname NOT IN ('migration', 'applied_function') AND pg_has_role(c.relowner, 'USAGE')
    ORDER BY array_position(${TAKEN_FIRST}::text[], c.relname::text), c.relname`.execute(transaction)
  return rows.map(({ name }) => name)
}

async function tablesInAutovacuum(transaction: Transaction): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT c.oid::regclass::text AS name FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
    WHERE l.mode = 'ShareUpdateExclusiveLock' AND l.granted AND c.relkind IN ('r', 'p')
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND c.relnamespace = current_schema()::regnamespace`.execute(transaction)
  return rows.map(({ name }) => name)
}

/**
 * Takes all of `tables` at once, before any of them is changed: transactions that hold some of them and wait for others
 * would otherwise be met again at each step of a migration.
 */
async function lockTables(transaction: Transaction, tables: string[], milliseconds: number): Promise<void> {
  if (tables.length === 0) return
  const end = performance.now() + milliseconds
  // In two statements: of several tables Citus takes those on other nodes before all others, and those who hold a device need them.
  const first = tables.filter((table) => TAKEN_FIRST.includes(table))
  for (const some of [first, tables.filter((table) => !first.includes(table))]) {
    if (some.length === 0) continue
    const left = Math.max(Math.ceil(end - performance.now()), 1)
    await sql.raw(`SET LOCAL statement_timeout = ${left}`).execute(transaction)
    await sql.raw(`LOCK TABLE ${some.join(', ')} IN ACCESS EXCLUSIVE MODE`).execute(transaction)
  }
  await sql.raw('SET LOCAL statement_timeout = 0').execute(transaction)
}
