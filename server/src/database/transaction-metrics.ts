import type { Registry } from 'prom-client'
import type { Pool } from 'pg'
import { polledGauges } from './polled-gauges.ts'

// Sessions of other roles show their times to members of `pg_monitor` alone.
const selectOldest = `SELECT coalesce(max(extract(epoch FROM now() - began)), 0)::float8 AS seconds FROM (
    SELECT xact_start AS began FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
    UNION ALL SELECT prepared FROM pg_prepared_xacts WHERE database = current_database()
  ) open`

/** Adds the gauge of the oldest open transaction: it holds its locks, and what vacuum could remove; see `changes-feed.md`. */
export function measureOldestTransaction(pool: Pool, registry: Registry): void {
  polledGauges(registry, async () => (await pool.query<{ seconds: number }>(selectOldest)).rows, [
    [
      'companion_oldest_transaction_seconds',
      'The age of the oldest transaction that is open in the database, or prepared.',
      ([oldest]) => oldest?.seconds ?? 0,
    ],
  ])
}
