import { Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import type { Database } from './database.ts'

/** Measures the pool: requests that wait for a connection are the first sign of a database that cannot keep up. */
export function measurePool({ pool }: Pick<Database, 'pool'>, registry: Registry): void {
  registry.registerMetric(
    new Gauge({
      name: 'companion_database_connections',
      help: 'Connections to the database, by what they do.',
      labelNames: ['state'],
      registers: [],
      collect() {
        this.set({ state: 'idle' }, pool.idleCount)
        this.set({ state: 'busy' }, pool.totalCount - pool.idleCount)
      },
    }),
  )
  registry.registerMetric(
    new Gauge({
      name: 'companion_database_waits',
      help: 'Statements that wait for a connection now.',
      registers: [],
      collect() {
        this.set(pool.waitingCount)
      },
    }),
  )
}
