import { openDatabase } from '@companion/server/database/database.ts'
import type { BenchData } from './load.ts'
import type { Contestant } from './measure.ts'
import { startProcess } from './process.ts'

export const SECRET = 'a secret for measurements only, 32 bytes or more'

/** A database and what was stored in it. */
export interface Filled {
  url: string
  data: BenchData
}

/** Starts a server on a filled database, as one to be measured. */
export async function startContestant(
  name: string,
  script: string,
  { url, data }: Filled,
  directory: string,
): Promise<Contestant & { stop: () => Promise<void> }> {
  const environment = { DATABASE_URL: url, DATA_DIR: directory, TOKEN_SECRET: SECRET }
  const server = await startProcess(script, environment)
  const database = await openDatabase(url, { pool: 1 })
  const backends = async () => {
    const { rows } = await database.pool.query<{ pid: number }>(
      // PostgreSQL 18 reads pages by workers that belong to no database.
      `SELECT pid FROM pg_stat_activity
       WHERE (datname = current_database() OR backend_type = 'io worker') AND pid <> pg_backend_pid()`,
    )
    return rows.map(({ pid }) => pid)
  }
  return {
    name,
    port: server.port,
    pid: server.pid,
    backends,
    data,
    async stop() {
      await database.close()
      await server.stop()
    },
  }
}
