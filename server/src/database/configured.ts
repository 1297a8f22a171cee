import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { readTokenSecret } from '../config/token-secret.ts'
import { keyRingOf } from '../encryption/key-ring.ts'
import { openDatabase } from './database.ts'
import type { Database } from './database.ts'
import { openEmbeddedPostgres } from './embedded/open.ts'

const CLOSE_MS = 1000

export interface OpenDatabase {
  database: Database
  /** Where it is. */
  url: string
  /** Closes the pool; the last to leave the embedded server shuts it down. */
  close: () => Promise<void>
}

/**
 * Opens the database that the configuration names: an external one, or the embedded one under the data directory. What
 * the embedded one waits for goes to the log or, without one, to stderr.
 */
export async function openConfiguredDatabase(config: Config, log?: Logger): Promise<OpenDatabase> {
  const keyRing = keyRingOf(config, await readTokenSecret(config))
  const embedded = config.databaseUrl
    ? undefined
    : await openEmbeddedPostgres({
        directory: join(config.dataDirectory, 'postgres'),
        ...(log && { log: (line) => log.debug(line), warn: (line) => log.warn(line) }),
      })
  const url = config.databaseUrl ?? embedded?.url ?? ''
  const database = await openDatabase(url, {
    pool: config.databasePool,
    namedStatements: config.namedStatements,
    statementSeconds: config.statementSeconds,
    replicaUrls: config.databaseReplicaUrls,
    keyRing,
  })
  return {
    database,
    url,
    async close() {
      // A query that hangs must not keep the service from stopping: it had its time before.
      await Promise.race([database.close(), pause(CLOSE_MS, undefined, { ref: false })])
      await embedded?.stop()
    },
  }
}
