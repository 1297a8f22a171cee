import { Counter, Histogram } from 'prom-client'
import { z } from 'zod'
import { wallClock } from '../time/wall-clock.ts'
import type { Devlog } from './devlog.ts'
import { CONTACT_LOSS } from './finish-flags.ts'
import type { DevlogOutcome } from './store-devlogs.ts'

const HOUR = 3600
const DAY = 24 * HOUR

const records = new Counter({
  name: 'companion_devlog_records_total',
  help: 'Usage records of uploads, by what became of them; a refused upload counts the records that refused it.',
  labelNames: ['verdict'],
})

const lag = new Histogram({
  name: 'companion_devlog_upload_delay_seconds',
  help: "From the end of a treatment to its arrival, both by the wall clock of the service's time zone.",
  buckets: [60, 600, HOUR, 6 * HOUR, 12 * HOUR, DAY, 3 * DAY, 7 * DAY, 30 * DAY],
})

const wrongClocks = new Counter({
  name: 'companion_wrong_clock_records_total',
  help: 'Usage records that were refused or rejected because the clock of the device is wrong.',
})

const contactLosses = new Counter({
  name: 'companion_electrode_contact_losses_total',
  help: 'Usage records that were stored and ended because the electrodes lost contact.',
})

/** Counts the dates among the issues of an upload, or of one of its items, that only a wrong clock can have. */
export function countWrongClocks(error: unknown): void {
  const issues = error instanceof z.core.$ZodError ? error.issues : []
  const dates = issues.filter((issue) => issue.code === 'custom' && issue.params?.['type'] === 'clock')
  wrongClocks.inc(dates.length)
}

interface Upload {
  items: readonly Devlog[]
  verdicts: readonly DevlogOutcome[]
  /** How many items were not even valid, and were rejected. */
  invalid: number
  timeZone: string
}

/** Counts what became of each record of an upload, and how late those came that were new. */
export function countRecords({ items, verdicts, invalid, timeZone }: Upload): void {
  const now = wallSeconds(timeZone)
  const counts = new Map<DevlogOutcome | 'invalid', number>(invalid > 0 ? [['invalid', invalid]] : [])
  for (const [n, verdict] of verdicts.entries()) {
    counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
    const { detail_data: detail, is_temp } = items[n] ?? {}
    if (!detail || (verdict !== 'stored' && verdict !== 'completed')) continue
    if (detail.finish_flag === CONTACT_LOSS && !is_temp) contactLosses.inc()
    lag.observe(Math.max(0, now - Date.parse(`${detail.treatment_date}Z`) / 1000 - detail.treatment_time))
  }
  for (const [verdict, count] of counts) records.inc({ verdict }, count)
}

const shown = new Map<string, { second: number; wall: number }>()

/** The time of the service's clock, in seconds as if it were UTC. Read once a second, as it costs as much as all else here. */
function wallSeconds(timeZone: string): number {
  const second = Math.floor(Date.now() / 1000)
  const last = shown.get(timeZone)
  if (last?.second === second) return last.wall
  const wall = Date.parse(`${wallClock(timeZone)}Z`) / 1000
  shown.set(timeZone, { second, wall })
  return wall
}
