import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { openDatabase } from '@companion/server/database/database.ts'
import type { Database } from '@companion/server/database/database.ts'
import { urlOf } from './global-setup.ts'

interface OwnDatabase {
  url: string
  drop: () => Promise<void>
}

/** A migrated, empty database of its own; `drop` removes it. */
export const cloneDatabase = () => createDatabase('TEMPLATE template STRATEGY file_copy')

/** A database of its own that has never been migrated. */
export const bareDatabase = () => createDatabase('')

async function createDatabase(options: string): Promise<OwnDatabase> {
  const server = inject('postgresUrl')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const run = async (sql: string) => {
    const admin = await openDatabase(server, { pool: 1 })
    try {
      await admin.pool.query(sql)
    } finally {
      await admin.close()
    }
  }
  await run(`CREATE DATABASE ${name} ${options}`)
  return { url: urlOf(server, name), drop: () => run(`DROP DATABASE ${name} WITH (FORCE)`) }
}

/** What is in every table: how many rows, and a hash of them all. */
export async function contents({ pool }: Pick<Database, 'pool'>): Promise<Record<string, string>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
  )
  const found: Record<string, string> = {}
  for (const { name } of tables) {
    const { rows } = await pool.query<{ hash: string }>(
      `SELECT count(*) || ' ' || md5(coalesce(string_agg(md5(t::text), '' ORDER BY t::text), '')) AS hash FROM ${name} t`,
    )
    found[name] = rows[0]?.hash ?? ''
  }
  return found
}
