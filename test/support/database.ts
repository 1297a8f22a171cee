import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { openDatabase } from '@companion/server/database/database.ts'
import { urlOf } from './global-setup.ts'

/** Creates a migrated, empty database; `drop` removes it. */
export async function cloneDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
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
  await run(`CREATE DATABASE ${name} TEMPLATE template STRATEGY file_copy`)
  return { url: urlOf(server, name), drop: () => run(`DROP DATABASE ${name} WITH (FORCE)`) }
}
