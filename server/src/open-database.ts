import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from './config/config.ts'
import { readDatabaseAddress } from './config/database-address.ts'
import { readTokenSecret } from './config/token-secret.ts'
import { keyRingOf } from './encryption/key-ring.ts'
import { openDatabase } from './database/database.ts'
import type { Database } from './database/database.ts'
import { openEmbeddedPostgres } from './embedded-postgres/open.ts'

const CLOSE_MS = 1000

export interface OpenDatabase {
  database: Database
  /** The address of the embedded database, if it is that. */
  embeddedUrl: string | undefined
  /** Closes the pool; the last to leave the embedded server shuts it down. */
  close: () => Promise<void>
}

/**
 * Opens the database that the configuration names: an external one, or the embedded one under the data directory. What
 * the embedded one waits for goes to the log or, without one, to stderr.
 */
export async function openConfiguredDatabase(config: Config, log?: Logger): Promise<OpenDatabase> {
  const keyRing = keyRingOf(config, await readTokenSecret(config))
  const embedded = config.database
    ? undefined
    : await openEmbeddedPostgres({
        directory: join(config.dataDirectory, 'postgres'),
        ...(log && { log: (line) => log.debug(line), warn: (line) => log.warn(line) }),
      })
  const address = config.database ?? readDatabaseAddress(embedded?.url ?? '')
  const database = await openDatabase(address, {
    pool: config.databasePool,
    namedStatements: config.namedStatements,
    statementSeconds: config.statementSeconds,
    replicas: config.databaseReplicas,
    keyRing,
  })
  return {
    database,
    embeddedUrl: embedded?.url,
    async close() {
      // A query that hangs must not keep the service from stopping: it had its time before.
      await Promise.race([database.close(), pause(CLOSE_MS, undefined, { ref: false })])
      await embedded?.stop()
    },
  }
}
