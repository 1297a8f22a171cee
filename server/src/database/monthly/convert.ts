import type { MikroORM } from '@mikro-orm/postgresql'
import type { Pool } from 'pg'
import { readDatabaseLayout, switchDatabaseLayout, withShortTableLocks } from '../migrate.ts'
import type { MigrateOptions } from '../migrate.ts'
import { watchIndexBuilds } from '../watch-index-builds.ts'

/* The way to indexes of treatments that begin with the month, and back; see docs/decisions/months-in-indexes.md. */

type Options = Pick<MigrateOptions, 'warn' | 'report'>

/** As the function `calendar_month`. An index that calls no function can be restored before functions are. */
const MONTH = `((treatment_date::date - '2000-01-03'::date) / 28)`

/** What the two large indexes begin with, by form. */
const LEADS = { plain: '', monthly: `${MONTH}, ` }
type Form = keyof typeof LEADS

const NAMES = ['treatment_record', 'treatment_child'] as const

const definitions = (to: Form): Record<(typeof NAMES)[number], string> => ({
  treatment_record: `CREATE UNIQUE INDEX CONCURRENTLY treatment_record_${to} ON treatment
    (${LEADS[to]}device_id, treatment_date, log_file_id) WHERE deleted_at IS NULL`,
  treatment_child: `CREATE INDEX CONCURRENTLY treatment_child_${to} ON treatment
    (${LEADS[to]}real_user_id, treatment_date) INCLUDE (treatment_time, last_intensity, movement, is_temp)
    WHERE deleted_at IS NULL`,
})

/**
 * Builds the other indexes while servers go on, and puts them and their functions in force in one short transaction. No record
 * is touched. Goes on where another process has ended.
 */
export async function buildMonthIndexes(orm: MikroORM, to: Form, options: Options): Promise<void> {
  const form = await orm.em.getConnection().transactional(readDatabaseLayout)
  if (form === 'distributed') throw new Error('The tables are distributed')
  const pool = await orm.em.getConnection().getNativeClient()
  if (form !== to) {
    await build(orm, pool, to, options)
    // Of expressions PostgreSQL knows nothing until it has looked at the table.
    await pool.query('ANALYZE treatment')
    await withShortTableLocks(orm, options, (transaction, wait) =>
      switchDatabaseLayout(transaction, wait, {
        tables: [to === 'monthly' ? 'monthly/up.sql' : 'monthly/down.sql'],
        to,
      }),
    )
  }
  // Of a process that was ended on the way to the other form.
  for (const name of NAMES)
    await pool.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}_${to === 'plain' ? 'monthly' : 'plain'}`)
}

async function build(orm: MikroORM, pool: Pool, to: Form, { report }: Options): Promise<void> {
  const client = await pool.connect()
  try {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    const watching = report && watchIndexBuilds(orm, rows[0]?.pid ?? 0, report)
    try {
      for (const name of NAMES) {
        const { rows: built } = await client.query<{ is_valid: boolean }>(
          'SELECT indisvalid AS is_valid FROM pg_index WHERE indexrelid = to_regclass($1)',
          [`${name}_${to}`],
        )
        if (built[0]?.is_valid) continue
        if (built[0]) await client.query(`DROP INDEX CONCURRENTLY ${name}_${to}`)
        await client.query(definitions(to)[name])
      }
    } finally {
      await watching?.stop()
    }
  } finally {
    client.release()
  }
}

export interface MonthIndexes {
  form: Awaited<ReturnType<typeof readDatabaseLayout>>
  indexes: { name: string; bytes: number }[]
}

/** The indexes that the step replaces, and what the functions expect of them. */
export async function inspectMonthIndexes(orm: MikroORM): Promise<MonthIndexes> {
  const form = await orm.em.getConnection().transactional(readDatabaseLayout)
  const pool = await orm.em.getConnection().getNativeClient()
  const { rows: indexes } = await pool.query<{ name: string; bytes: number }>(
    `SELECT name, coalesce(pg_relation_size(to_regclass(name)), 0)::float8 AS bytes
     FROM unnest($1::text[]) WITH ORDINALITY AS i (name, n) ORDER BY n`,
    [NAMES],
  )
  return { form, indexes }
}
