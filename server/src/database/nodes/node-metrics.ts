import type { Registry } from 'prom-client'
import type { Pool } from 'pg'
import { polledGauges } from '../polled-gauges.ts'
import { listPreparedTransactions } from './prepared.ts'

/** Twice what the coordinator needs at most to end by itself what it has decided about. */
const DOUBT_SECONDS = 120

/** Adds the gauges of several nodes. On one machine all of them are 0. */
export function measureNodes(pool: Pool, registry: Registry): void {
  polledGauges(
    registry,
    async () => (await listPreparedTransactions(pool)) ?? { transactions: [], silent: [] },
    [
      [
        'companion_transactions_in_doubt',
        `Transactions that are prepared on a node of a distributed database for over ${DOUBT_SECONDS} seconds.`,
        ({ transactions }) => transactions.filter(({ seconds }) => seconds > DOUBT_SECONDS).length,
      ],
      [
        'companion_oldest_prepared_seconds',
        'The age of the oldest transaction that is prepared on a node.',
        ({ transactions }) => transactions[0]?.seconds ?? 0,
      ],
      [
        'companion_database_nodes_silent',
        'Nodes of a distributed database that the coordinator cannot ask.',
        ({ silent }) => silent.length,
      ],
    ],
  )
}
