import type { Texts } from '../i18n/en'
import type { Formats } from '../i18n/format'
import { endOfUse } from './night'
import { isCutShort, isRunning } from './record'
import type { UsageRecord } from './record'

/** When a use began and ended, and how long it was, or that it goes on, or that its last log did not arrive. */
export function whenUsed(record: UsageRecord, t: Texts, format: Formats, now = new Date()): string[] {
  const duration = format.duration(record.seconds)
  if (isRunning(record, now)) return [t.night.runningSince(format.clock(record.start), duration)]
  const times = [format.clockRange(record.start, endOfUse(record)), duration]
  return isCutShort(record, now) ? [...times, t.night.cutShort] : times
}
