import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Migration } from '@mikro-orm/migrations'
import type { MikroORM, Transaction } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Pool } from 'pg'
import { isOfOthersLocks } from './refusal.ts'

/* How the schema comes into a database; see docs/decisions/schema-in-sql.md. */

const read = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8')

/** The SQL files of a folder beside this file, in the order of their names. */
const filesIn = (folder: string) =>
  globSync('*.sql', { cwd: join(import.meta.dirname, folder) })
    .toSorted()
    .map((file) => ({ name: basename(file, '.sql'), text: read(join(folder, file)) }))

/** Each is applied to a database once, in this order. */
export const migrations = filesIn('migrations').map(({ name, text }) => ({
  name,
  class: class extends Migration {
    override up(): void {
      this.addSql(text)
    }
  },
}))

/** Each is applied when the database has never seen its text. */
const functions = filesIn('functions').map(({ name, text }) => ({
  name,
  text,
  hash: createHash('sha256').update(text).digest('hex'),
}))

const takeOver = read('take-over.sql')

/**
 * Whether nothing is left that this code would apply; newer code may have applied more. And whether the server takes
 * writes, unlike a standby, or a primary that was made read-only.
 */
export async function schemaState(pool: Pool): Promise<{ isMigrated: boolean; isWritable: boolean }> {
  const { rows } = await pool.query<{ applied: number; is_writable: boolean }>(
    `SELECT (SELECT count(*) FROM migration WHERE name = ANY ($1))::int
       + (SELECT count(*) FROM applied_function WHERE hash = ANY ($2))::int AS applied,
       current_setting('transaction_read_only') = 'off' AS is_writable`,
    [migrations.map(({ name }) => name), functions.map(({ hash }) => hash)],
  )
  const [row] = rows
  return {
    isMigrated: row?.applied === migrations.length + functions.length,
    isWritable: row?.is_writable === true,
  }
}

const LOCK = 7_305_011_120
/**
 * How long a table in use may be waited for, at first and at most. Everybody else who comes to that table waits behind.
 * At most longer than PostgreSQL's `deadlock_timeout`: only then does an autovacuum of the table give way.
 */
const SHORTEST_WAIT_MS = 100
const LONGEST_WAIT_MS = 2000
/** How much longer the table is left to others, after each wait in vain. */
const REST = 4

export interface Migrating {
  /** Whether functions that other code has replaced since are due as well. */
  putBack: boolean
  /** Takes what is waited for. */
  warn: (line: string) => void
}

/**
 * Applies the migrations and functions that are due, all or none; processes that do so at once wait for each other.
 * Returns their names.
 */
export async function migrate(orm: MikroORM, { putBack, warn }: Migrating): Promise<string[]> {
  const connection = orm.em.getConnection()
  return connection.transactional(async (turn) => {
    // Held by the transaction, not by the session: this works behind a transaction pooler too.
    await sql`SELECT pg_advisory_xact_lock(${LOCK})`.execute(turn)
    for (let wait = SHORTEST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      await sql.raw(`SET LOCAL lock_timeout = ${wait}`).execute(turn)
      try {
        return await connection.transactional((transaction) => applyDue(orm, transaction, putBack), {
          ctx: turn,
        })
      } catch (error) {
        if (!isOfOthersLocks(error)) throw error
      }
      warn('The schema is not brought up to date yet: its tables are in use, trying again')
      await pause(REST * wait)
    }
  })
}

async function applyDue(orm: MikroORM, transaction: Transaction, putBack: boolean): Promise<string[]> {
  await sql.raw(takeOver).execute(transaction)
  const applied = await orm.migrator.up({ transaction })
  await sql`
    CREATE TABLE IF NOT EXISTS applied_function (
      hash       text PRIMARY KEY,
      name       text NOT NULL,
      applied_at timestamptz NOT NULL
    )`.execute(transaction)
  const inForce = sql<{ hash: string }>`
    SELECT DISTINCT ON (name) hash FROM applied_function ORDER BY name, applied_at DESC`
  const known = sql<{ hash: string }>`SELECT hash FROM applied_function`
  const { rows } = await (putBack ? inForce : known).execute(transaction)
  const due = functions.filter(({ hash }) => !rows.some((row) => row.hash === hash))
  for (const { name, text, hash } of due) {
    await sql.raw(text).execute(transaction)
    await sql`
      INSERT INTO applied_function (hash, name, applied_at) VALUES (${hash}, ${name}, clock_timestamp())
      ON CONFLICT (hash) DO UPDATE SET applied_at = excluded.applied_at`.execute(transaction)
  }
  return [...applied, ...due].map(({ name }) => name)
}
