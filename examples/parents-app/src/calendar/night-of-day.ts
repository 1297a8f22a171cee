import type { DayWithSightings } from '../companion/queries'
import type { QueuedNote } from '../companion/use-outbox'
import { wallClock } from '../time/dates'
import type { CalendarDate } from '../time/dates'
import { nightOfNote } from './night-before'
import type { NightOfNote } from './night-before'

/** The night that a day's note is about; see `nightOfNote`. Notes that still wait on this phone count too. */
export function nightOfDay(
  date: CalendarDate,
  day: DayWithSightings | undefined,
  queued: readonly QueuedNote[],
): NightOfNote | undefined {
  const [oldest] = queued
  const seenAt = day?.seenAt ?? (oldest && wallClock(new Date(oldest.queued_at)))
  return nightOfNote(date, { seenAt, emptyAt: day?.emptyAt })
}
