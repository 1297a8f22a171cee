import { z } from 'zod'
import type { DatabaseAddress } from '../config/database-address.ts'
import { isOnThisMachine } from '../config/database-address.ts'
import { databaseTimeouts, databaseSessionSettings } from '../config/session-settings.ts'
import { unencryptedNodes } from '../database/nodes/index.ts'
import type { Database } from '../database/database.ts'

/** How a session of the service with a database is, as it was found. */
export interface InspectedSession {
  /** The version of TLS; null where the way is not encrypted. */
  encryption: string | null
  /** How many seconds the clock of the database is ahead of that of this machine, as far as the time that the question took does not explain it. */
  clock_ahead: number
  /** What is not as the service needs it. */
  issues: string[]
}

/** A token or a code of a few minutes is still good with this difference between two machines. */
const MOST_SECONDS = 5

const found = z.object({
  version: z.string().nullable(),
  now: z.number(),
  encoding: z.string(),
  settings: z.record(z.string(), z.string()),
})

/**
 * Looks at a session with `database`, which `address` leads to; without it, the database is the embedded one. The session was
 * opened with `statementSeconds`.
 */
export async function inspectDatabaseSession(
  { pool }: Pick<Database, 'pool'>,
  address: DatabaseAddress | undefined,
  statementSeconds: number | undefined,
): Promise<InspectedSession> {
  const asked = { ...databaseSessionSettings, ...databaseTimeouts(statementSeconds) }
  const before = Date.now()
  const { rows } = await pool.query(
    `SELECT (SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS version,
       extract(epoch FROM clock_timestamp())::float8 AS now, current_setting('server_encoding') AS encoding,
       (SELECT jsonb_object_agg(lower(name), setting) FROM pg_settings WHERE lower(name) = ANY ($1)) AS settings`,
    [Object.keys(asked)],
  )
  const { version, now, encoding, settings } = found.parse(rows[0])
  const after = Date.now()
  const ahead = Math.max(0, now - after / 1000) + Math.min(0, now - before / 1000)
  const dropped = Object.entries(asked)
    .filter(([name, value]) => spelled(settings[name]) !== spelled(value))
    // In quotes, a list of schemas would be the name of one.
    .map(([name, value]) => `ALTER ROLE … SET ${name} = ${name === 'search_path' ? value : `'${value}'`}`)
  return {
    encryption: version,
    clock_ahead: Math.round(ahead * 10) / 10,
    issues: [
      ...(Math.abs(ahead) > MOST_SECONDS
        ? [
            `its clock is ${Math.abs(ahead).toFixed(0)} s ${ahead > 0 ? 'ahead of' : 'behind'} that of this machine`,
          ]
        : []),
      ...(encoding === 'UTF8' ? [] : [`its encoding is ${encoding}, and must be UTF8`]),
      ...(version || !address || address.tls.mode === 'disable' || isOnThisMachine(address)
        ? []
        : ['it is not encrypted: add sslmode=verify-full']),
      ...(dropped.length > 0
        ? [`a pooler on the way drops what a session asks for: ${dropped.join(', ')}`]
        : []),
      ...(await unencryptedNodes(pool)),
    ],
  }
}

/** PostgreSQL writes some lists with spaces, and some without. */
const spelled = (value: string | undefined) => value?.replaceAll(' ', '').toLowerCase()
