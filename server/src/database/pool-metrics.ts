import { Gauge, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'
import type { Pool } from 'pg'

/** Measures the pool: requests that wait for a connection are the first sign of a database that cannot keep up. */
export function measurePool(pool: Pool, registry: Registry): void {
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
      name: 'companion_database_pending_requests',
      help: 'Statements that wait for a connection now.',
      registers: [],
      collect() {
        this.set(pool.waitingCount)
      },
    }),
  )
  const waited = new Histogram({
    name: 'companion_database_wait_seconds',
    help: 'Time spent waiting for a pool connection when none was idle; opening one counts as waiting.',
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [],
  })
  registry.registerMetric(waited)
  timeWaits(pool, waited)
}

type CallbackArguments = Parameters<Parameters<Pool['connect']>[0]>

/** Times only callers that wait; an idle connection costs one comparison. */
function timeWaits(pool: Pool, waited: Histogram): void {
  const connect = pool.connect.bind(pool)
  const timed = (response?: (...given: CallbackArguments) => void) => {
    const stop = pool.idleCount > pool.waitingCount ? undefined : waited.startTimer()
    if (!response) return stop ? connect().finally(stop) : connect()
    return connect((...given) => {
      stop?.()
      response(...given)
    })
  }
  Object.assign(pool, { connect: timed })
}
