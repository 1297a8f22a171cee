import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '@companion/server/database/database.ts'
import type { Database } from '@companion/server/database/database.ts'
import { bareDatabase } from '../support/database.ts'

/*
 * A column is one migration, whichever form the database has: the types that functions return follow their tables, and no
 * function is left that does not fit them.
 */

const TABLES = ['treatment', 'sleep_reading', 'reading_day', 'event', 'event_version', 'survey']

const forms: Record<string, (database: Database) => Promise<void>> = {
  plain: async () => undefined,
  monthly: ({ months }) => months.lead(),
  distributed: ({ distribution }) => distribution.prepare(),
}

/** The columns of each table, and those of the type that functions return in its place, if there is one. */
async function columns({ pool }: Database) {
  const { rows } = await pool.query<{ name: string; columns: string[] }>(
    `SELECT relname AS name, array_agg(attname || ' ' || format_type(atttypid, atttypmod) ORDER BY attnum) AS columns
     FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
     WHERE relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped
       AND regexp_replace(relname, '_row$', '') = ANY ($1) GROUP BY relname`,
    [TABLES],
  )
  return new Map(rows.map(({ name, columns: all }) => [name, all]))
}

interface Called {
  call: string
  /** The table whose rows it returns, if any. */
  table: string | null
}

/** Every function of the schema that no trigger calls, with values of the types that it takes. */
async function functions({ pool }: Database): Promise<Called[]> {
  const { rows } = await pool.query<Called>(
    `SELECT format('SELECT * FROM %s(%s)', p.proname, (
        SELECT string_agg(
          CASE WHEN t.typcategory = 'A' THEN '''{}''::' || t.oid::regtype
            WHEN t.typname IN ('int4', 'int8') THEN '1::' || t.oid::regtype
            WHEN t.typname IN ('timestamp', 'timestamptz', 'date') THEN '''2026-03-01''::' || t.oid::regtype
            WHEN t.typname = 'regclass' THEN '''event''::regclass'
            WHEN t.typname = 'bool' THEN 'true'
            ELSE 'NULL::' || t.oid::regtype END, ', ' ORDER BY a.n)
        FROM unnest(p.proargtypes) WITH ORDINALITY AS a (oid, n) JOIN pg_type t USING (oid))) AS call,
       regexp_replace(r.relname, '_row$', '') AS table
     FROM pg_proc p LEFT JOIN pg_class r ON r.reltype = p.prorettype
     WHERE p.pronamespace = 'public'::regnamespace AND p.prorettype <> 'trigger'::regtype
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
     ORDER BY 1`,
  )
  return rows
}

/** How a call ends: the names of the columns, or the error. It changes nothing. */
async function outcome({ pool }: Database, call: string): Promise<string[] | Error> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const { fields } = await client.query(call)
    return fields.map(({ name }) => name)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
}

/** Of SQLSTATE class 42 are all that a statement and its tables disagree on. */
const disagrees = (found: string[] | Error) =>
  found instanceof Error && String(Reflect.get(found, 'code')).startsWith('42')

test.each(Object.keys(forms))('a new column needs no more than its migration: %s', async (form) => {
  const own = await bareDatabase()
  const database = await openDatabase(own.url, { pool: 2 })
  onTestFinished(async () => {
    await database.close()
    await own.drop()
  })
  await database.migrate()
  await forms[form]?.(database)
  // As a migration does, and the release that brings it.
  for (const table of TABLES) await database.pool.query(`ALTER TABLE ${table} ADD COLUMN added varchar(7)`)
  await database.pool.query(`ALTER TABLE survey DROP COLUMN disorder_score`)
  await database.pool.query(`ALTER TABLE survey ADD COLUMN disorder_score int NOT NULL`)
  await database.pool.query(`DELETE FROM applied_function WHERE name = 'surveys-of'`)
  expect(await database.migrate()).toEqual(['surveys-of'])

  const found = await columns(database)
  for (const table of TABLES) {
    expect(found.get(table)).toContain('added character varying(7)')
    expect(found.get(`${table}_row`)).toEqual(found.get(table))
  }
  const issues: [string, unknown][] = []
  const read = new Set<string>()
  for (const { call, table } of await functions(database)) {
    const ended = await outcome(database, call)
    if (disagrees(ended)) issues.push([call, ended])
    if (ended instanceof Error || table === null || !TABLES.includes(table)) continue
    read.add(table)
    expect([call, ended]).toEqual([call, found.get(table)?.map((column) => column.split(' ')[0])])
  }
  expect(issues).toEqual([])
  expect([...read].toSorted()).toEqual(TABLES.toSorted())
})
