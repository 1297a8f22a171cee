import { openDatabase } from '@companion/server/database/database.ts'
import type { BenchData } from './load.ts'
import type { Candidate } from './measure.ts'
import { startProcess } from './process.ts'

export const SECRET = 'a secret for measurements only, 32 bytes or more'

/** A database and what was stored in it. */
export interface Filled {
  url: string
  data: BenchData
  /** The same database on the other nodes, where it is distributed. */
  workers?: string[]
}

/** Starts a server on a filled database, as one to be measured. */
export async function startCandidate(
  name: string,
  script: string,
  { url, data, workers = [] }: Filled,
  directory: string,
  environment: Record<string, string> = {},
): Promise<Candidate & { stop: () => Promise<void> }> {
  const server = await startProcess(script, {
    DATABASE_URL: url,
    DATA_DIR: directory,
    TOKEN_SECRET: SECRET,
    ...environment,
  })
  const nodes = await Promise.all([url, ...workers].map((node) => openDatabase(node, { pool: 1 })))
  const backends = async () => {
    const found = await Promise.all(
      nodes.map(({ pool }) =>
        pool.query<{ pid: number }>(
          // PostgreSQL 18 reads pages by workers that belong to no database.
          `SELECT pid FROM pg_stat_activity
           WHERE (datname = current_database() OR backend_type = 'io worker') AND pid <> pg_backend_pid()`,
        ),
      ),
    )
    return found.map(({ rows }) => rows.map(({ pid }) => pid))
  }
  return {
    name,
    port: server.port,
    pid: server.pid,
    backends,
    data,
    async stop() {
      await Promise.all(nodes.map((node) => node.close()))
      await server.stop()
    },
  }
}
