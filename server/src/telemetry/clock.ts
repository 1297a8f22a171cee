import type { Logger } from 'pino'
import { Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import type { Database } from '../database/database.ts'

/** Clocks of several machines differ, and one may have written the newest record for another to read. */
const TOLERANCE_MS = 60_000
const LONGEST_JUMP_MS = 3_600_000

// By its number, not by its time: a row that a wrong clock has dated years ahead is the newest only for a while.
const newestRecord = `SELECT 1000 * extract(epoch FROM recorded_at)::float8 AS ms
  FROM security_record ORDER BY id DESC LIMIT 1`

export interface ClockWatch {
  /** Whether what the clock shows can be right, as it was found last. */
  shown(): 'fine' | 'suspect'
  /** Finds out again. */
  look(): Promise<'fine' | 'suspect'>
}

/**
 * Watches the clock that dates everything here and decides which dates a device may send. It is suspect when it stands
 * before the newest row of the security record, or differs by more than an hour from what it showed when the process
 * started, plus the time since. A change is logged once.
 */
export function watchClock({ pool }: Pick<Database, 'pool'>, log: Logger): ClockWatch {
  const startedAt = Date.now() - performance.now()
  let shown: 'fine' | 'suspect' = 'fine'
  return {
    shown: () => shown,
    async look() {
      const jump_ms = Math.round(Date.now() - performance.now() - startedAt)
      const { rows } = await pool.query<{ ms: number }>(newestRecord)
      const newest_record = rows.map(({ ms }) => new Date(ms))[0]
      const isBehind = newest_record !== undefined && newest_record.getTime() > Date.now() + TOLERANCE_MS
      const found = isBehind || Math.abs(jump_ms) > LONGEST_JUMP_MS ? 'suspect' : 'fine'
      if (found !== shown) {
        if (found === 'suspect') log.error({ newest_record, jump_ms }, 'clock suspect')
        else log.info({ newest_record, jump_ms }, 'clock right again')
      }
      shown = found
      return found
    },
  }
}

/** Shows in `registry` whether the clock was suspect when it was looked at last. */
export function measureClock(clock: ClockWatch, registry: Registry): void {
  registry.registerMetric(
    new Gauge({
      name: 'companion_clock_suspect',
      help: '1 while the clock stands before the newest record, or has jumped by more than an hour.',
      aggregator: 'max',
      registers: [],
      collect() {
        this.set(clock.shown() === 'suspect' ? 1 : 0)
      },
    }),
  )
}
