import { sql } from 'kysely'
import type { Database, Sql } from '../database/database.ts'
import { isLockConflict } from '../database/sql-errors.ts'

/** How long a partition's table may be waited for. Everybody else who comes to the table waits behind. */
const LONGEST_WAIT = '500ms'

/**
 * A table of partitions by a time: `TABLE_first` for all before the others, `TABLE_other` for times without a partition, and
 * one for each `unit`, named by its first day.
 */
export interface PartitionedTable {
  table: string
  /** The column that tells a row's partition, a `timestamp`. */
  column: string
  unit: 'week' | 'month'
  /** How many units ahead of now have a partition. */
  ahead: number
}

/** Runs `work` in a transaction that waits for no table for long. Resolves to whether it could. */
async function soon(database: Database, work: (tx: Sql) => Promise<unknown>): Promise<boolean> {
  try {
    await database.transaction(async (tx) => {
      await sql`SELECT set_config('lock_timeout', ${LONGEST_WAIT}, true)`.execute(tx)
      await work(tx)
    })
    return true
  } catch (error) {
    if (isLockConflict(error)) return false
    throw error
  }
}

/**
 * Makes the partitions that are missing after the last one, from the one of `since` to `ahead` units from now, and moves rows
 * of their times that have come before them. One whose rows are in use waits until the next time.
 */
export async function makePartitions(
  database: Database,
  { table, column, unit, ahead }: PartitionedTable,
  { since, now }: { since: Date; now: Date },
): Promise<void> {
  const { rows } = await sql<{ name: string; first: string; next: string }>`
    SELECT ${table} || to_char(first, '"_"YYYYMMDD') AS name, first::text, (first + step)::text AS next
    FROM (SELECT ('1 ' || ${unit}::text)::interval AS step) unit,
      generate_series(
        greatest((SELECT max(${upperBound}) FROM ${partitionsOf(table)}), ${startOf(unit, since)}),
        ${startOf(unit, now)} + ${ahead}::int * step, step) AS first
    ORDER BY first`.execute(database.sql)
  for (const { name, first, next } of rows) {
    const done = await soon(database, async (tx) => {
      const [partition, other] = [sql.table(name), sql.table(`${table}_other`)]
      await sql`LOCK TABLE ${other} IN ACCESS EXCLUSIVE MODE`.execute(tx)
      const { rows: made } = await sql`SELECT WHERE to_regclass(${name}) IS NOT NULL`.execute(tx)
      // By another process, since it was looked for.
      if (made.length > 0) return
      // Attached when it is filled: to make it as a partition would hold off everybody from the whole table.
      await sql`CREATE TABLE ${partition} (LIKE ${sql.table(table)} INCLUDING ALL)`.execute(tx)
      await sql`
        WITH early AS (
          DELETE FROM ${other} WHERE ${sql.ref(column)} >= ${first}::timestamp AND ${sql.ref(column)} < ${next}::timestamp
          RETURNING *
        )
        INSERT INTO ${partition} SELECT * FROM early`.execute(tx)
      await sql`ALTER TABLE ${sql.table(table)} ATTACH PARTITION ${partition}
        FOR VALUES FROM (${sql.lit(first)}) TO (${sql.lit(next)})`.execute(tx)
    })
    if (!done) return
  }
}

/** The partitions whose times all lie before `time`, with the time at which the last of them ends. */
export async function partitionsBefore(
  database: Database,
  { table }: PartitionedTable,
  time: Date,
): Promise<{ names: string[]; end: string | undefined }> {
  const { rows } = await sql<{ name: string; end: string }>`
    SELECT name, ${upperBound}::text AS end FROM ${partitionsOf(table)}
    WHERE ${upperBound} <= ${utc(time)} ORDER BY ${upperBound}`.execute(database.sql)
  return { names: rows.map(({ name }) => name), end: rows.at(-1)?.end }
}

/** Drops partitions with all their rows, until one is in use: it stays until the next time. Resolves to how many went. */
export async function dropPartitions(database: Database, names: readonly string[]): Promise<number> {
  for (const [dropped, name] of names.entries()) {
    if (!(await soon(database, (tx) => sql`DROP TABLE IF EXISTS ${sql.table(name)}`.execute(tx))))
      return dropped
  }
  return names.length
}

const partitionsOf = (table: string) => sql`(
  SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = ${table}::regclass
) partition`

/** Null for the partition of all other times. */
const upperBound = sql<string | null>`substring(bounds FROM $$TO [(]'([^']+)'[)]$$)::timestamp`

/** The wall clock of UTC. */
const utc = (time: Date) => sql`${time}::timestamptz AT TIME ZONE 'UTC'`

const startOf = (unit: string, time: Date) => sql`date_trunc(${unit}, ${utc(time)})`
