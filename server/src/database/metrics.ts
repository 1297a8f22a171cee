import type { Registry } from 'prom-client'
import type { Database } from './database.ts'
import { measureNodes } from './nodes/index.ts'
import { measurePool } from './pool-metrics.ts'
import { measureOldestTransaction } from './transaction-metrics.ts'

/** Adds the metrics of the connections, of open transactions, and of the nodes, which are all 0 on one machine. */
export function measureDatabase({ pool }: Pick<Database, 'pool'>, registry: Registry): void {
  measurePool(pool, registry)
  measureOldestTransaction(pool, registry)
  measureNodes(pool, registry)
}
