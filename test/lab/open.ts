import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedPostgres } from '@companion/server/embedded-postgres/open.ts'
import { urlOf } from '../support/database-url.ts'
import { hasNoHaproxy } from '../support/machines/haproxy.ts'
import { hasNoPgBouncer, startPgBouncer } from '../support/machines/pgbouncer.ts'
import { startReplica } from '../support/machines/replica.ts'

const missing = [hasNoPgBouncer && 'pgbouncer', hasNoHaproxy && 'haproxy'].filter(Boolean).join(' and ')

/** Whether tests that need a lab have to be skipped; in CI they fail instead. */
export const hasNoLab = missing !== '' && process.env['CI'] !== 'true'

/** The databases of several machines, on this one. */
export interface Lab {
  /** The primary itself. */
  primaryUrl: string
  /** PgBouncer in transaction mode before the primary. */
  poolerUrl: string
  replica: Awaited<ReturnType<typeof startReplica>>
  close: () => Promise<void>
}

/** Starts a PostgreSQL, a streaming replica of it, and PgBouncer before the first. */
export async function openLab(poolSize: number): Promise<Lab> {
  if (missing) throw new Error(`The lab needs Debian's ${missing}`)
  const directory = await mkdtemp(join(tmpdir(), 'companion-lab-'))
  // PostgreSQL runs under an account of its own when this runs as root.
  await chmod(directory, 0o755)
  // Nothing here has to outlive a crash of the machine; a commit still waits until it is written, as replicas need it.
  const settings = { fsync: 'off', max_connections: '300' }
  const primary = await openEmbeddedPostgres({ directory: join(directory, 'primary'), settings })
  const replica = await startReplica(
    { url: primary.url, data: join(directory, 'primary', 'data'), settings },
    join(directory, 'replica'),
  )
  const pooler = await startPgBouncer(primary.url, poolSize)
  return {
    primaryUrl: primary.url,
    poolerUrl: pooler.url,
    replica,
    async close() {
      await pooler.stop()
      await replica.stop()
      await primary.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** The configuration of a service in the lab behind a proxy, as the environment has it. */
export function labEnvironment(
  { poolerUrl, replicaUrl }: { poolerUrl: string; replicaUrl: string },
  database: string,
  { TRUST_PROXY = '0' }: Record<string, string> = {},
) {
  return {
    DATABASE_URL: urlOf(poolerUrl, database),
    // Debian's PgBouncer keeps none by name.
    DATABASE_STATEMENTS: 'unnamed',
    DATABASE_REPLICA_URLS: urlOf(replicaUrl, database),
    TRUST_PROXY: String(Number(TRUST_PROXY) + 1),
  }
}
