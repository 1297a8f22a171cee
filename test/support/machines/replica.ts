import { openDatabase } from '@companion/server/database/database.ts'
import { copyCluster, startCopy } from './second-cluster.ts'
import type { SecondCluster } from './second-cluster.ts'
import { until } from '../until.ts'

const SLOT = 'replica'

/** Starts a streaming replica, in `target`, of the PostgreSQL at `url` whose data are in `data`. */
export async function startReplica(
  { url, data, settings }: { url: string; data: string; settings: Record<string, string> },
  target: string,
): Promise<SecondCluster & { restart: () => Promise<void> }> {
  const { hostname, port, username, password } = new URL(url)
  const primary = await openDatabase(url, { pool: 1 })
  // The slot keeps the log that a stopped replica will need.
  await primary.pool.query('SELECT pg_create_physical_replication_slot($1, true)', [SLOT])
  await copyCluster(primary, data, target)
  await primary.close()
  const primary_conninfo = `host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}`
  const start = (more: Record<string, string> = {}) =>
    startCopy(
      target,
      url,
      'standby.signal',
      { ...settings, primary_conninfo, primary_slot_name: SLOT, hot_standby_feedback: 'on', ...more },
      async ({ pool }) => (await pool.query('SELECT FROM pg_stat_wal_receiver')).rowCount === 1,
    )
  let running = await start()
  return {
    url: running.url,
    get database() {
      return running.database
    },
    stop: (signal) => running.stop(signal),
    async restart() {
      running = await start({ port: new URL(running.url).port })
    },
  }
}

/** Waits until a replica has replayed everything that its primary has written. */
export async function catchUp(
  primary: SecondCluster['database'],
  replica: SecondCluster['database'],
): Promise<void> {
  const { rows } = await primary.pool.query<{ position: string }>(
    'SELECT pg_current_wal_flush_lsn()::text AS position',
  )
  const behind = 'SELECT WHERE pg_last_wal_replay_lsn() < $1::pg_lsn'
  await until(async () => (await replica.pool.query(behind, [rows[0]?.position])).rowCount === 0)
}
