import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { openDatabase } from '@companion/server/database/database.ts'
import type { Database } from '@companion/server/database/database.ts'
import { urlOf } from './database-url.ts'
import { TEMPLATE } from './template.ts'

export interface OwnDatabase {
  url: string
  drop: () => Promise<void>
}

/** A migrated, empty database of its own; `drop` removes it. */
export const cloneDatabase = () => cloneTemplate(inject('nodeUrls'), inject('template'))

/** The same on other servers than those of the run. The template is cloned on each of these nodes. */
export const cloneTemplate = (nodes: readonly string[], template = TEMPLATE) =>
  createDatabase(nodes, `TEMPLATE ${template} STRATEGY file_copy`)

/** A database of its own that has never been migrated. */
export const bareDatabase = () => createDatabase([inject('postgresUrl')], '')

/** By server. Of all files of a worker, which share their modules: opening a database costs as much as cloning one. */
const admins = new Map<string, Promise<Database>>()

async function createDatabase(nodes: readonly string[], options: string): Promise<OwnDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const run = async (node: string, sql: string) => {
    const admin = admins.get(node) ?? openDatabase(node, { pool: 1 })
    admins.set(node, admin)
    await (await admin).pool.query(sql)
  }
  await Promise.all(nodes.map((node) => run(node, `CREATE DATABASE ${name} ${options}`)))
  return {
    url: urlOf(nodes[0] ?? '', name),
    async drop() {
      // One by one: a process of Citus ends when it has connected to the other nodes, whose databases let nobody in while they
      // are dropped. Two would wait for each other.
      for (const node of nodes) await run(node, `DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}

/** Every table with its columns. */
export async function columnsOf({ pool }: Pick<Database, 'pool'>): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ name: string; columns: string }>(
    `SELECT quote_ident(tablename) AS name, string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns
     FROM pg_tables JOIN pg_class ON pg_class.oid = format('%I.%I', schemaname, tablename)::regclass
       JOIN pg_attribute ON attrelid = pg_class.oid
     WHERE schemaname = 'public' AND NOT relispartition AND attnum > 0 AND NOT attisdropped GROUP BY 1 ORDER BY 1`,
  )
  return Object.fromEntries(rows.map(({ name, columns }) => [name, columns]))
}

/** The contents of `columns`, or of every table: how many rows, and a hash of them all. */
export async function contents(
  database: Pick<Database, 'pool'>,
  columns?: Record<string, string>,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const [name, listed] of Object.entries(columns ?? (await columnsOf(database)))) {
    const { rows } = await database.pool.query<{ hash: string }>(
      `SELECT count(*) || ' ' || md5(coalesce(string_agg(md5(t::text), '' ORDER BY t::text), '')) AS hash
       FROM (SELECT ${listed} FROM ${name}) t`,
    )
    found[name] = rows[0]?.hash ?? ''
  }
  return found
}
