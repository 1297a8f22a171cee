import { Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import type { Pool } from 'pg'
import { preparedOnNodes } from './prepared.ts'
import type { PreparedOnNodes } from './prepared.ts'

const REFRESH_MS = 60_000
/** Twice what the coordinator needs at most to end by itself what it has decided about. */
const DOUBT_SECONDS = 120

/** Adds the gauges of several nodes, asked at most once a minute in the background. On one machine all of them are 0. */
export function measureNodes(pool: Pool, registry: Registry): void {
  let seen: PreparedOnNodes | undefined
  let askedAt = -Infinity
  const look = () => {
    if (performance.now() - askedAt < REFRESH_MS) return
    askedAt = performance.now()
    preparedOnNodes(pool).then(
      (found) => (seen = found ?? { transactions: [], silent: [] }),
      () => (seen = undefined),
    )
  }
  const gauge = (name: string, help: string, value: (seen: PreparedOnNodes) => number) =>
    registry.registerMetric(
      new Gauge({
        name,
        help,
        // Every process of a cluster measures the same values.
        aggregator: 'max',
        registers: [],
        collect() {
          look()
          this.set(seen ? value(seen) : Number.NaN)
        },
      }),
    )
  gauge(
    'companion_transactions_in_doubt',
    `Transactions that are prepared on a node of a distributed database for over ${DOUBT_SECONDS} seconds.`,
    ({ transactions }) => transactions.filter(({ seconds }) => seconds > DOUBT_SECONDS).length,
  )
  gauge(
    'companion_oldest_prepared_seconds',
    'The age of the oldest transaction that is prepared on a node.',
    ({ transactions }) => transactions[0]?.seconds ?? 0,
  )
  gauge(
    'companion_nodes_silent',
    'Nodes of a distributed database that the coordinator cannot ask.',
    ({ silent }) => silent.length,
  )
}
