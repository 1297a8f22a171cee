import { addDays, noon } from '../time/dates'
import type { CalendarDate } from '../time/dates'
import { isOpen, lostContact } from './record'
import type { UsageRecord } from './record'

/** A night lasts from noon to noon, so that a use after midnight belongs to the evening before. */
export interface Night {
  /** The date of its evening. */
  date: CalendarDate
  /** Ascending; at least one. */
  records: UsageRecord[]
}

const MINUTE = 60_000

/** The date of the evening of the night in which a use began. */
export const nightDateOf = ({ start }: UsageRecord): CalendarDate =>
  Number(start.slice(11, 13)) < 12 ? addDays(start.slice(0, 10), -1) : start.slice(0, 10)

/** The nights with a record, ascending. */
export function nightsOf(records: readonly UsageRecord[]): Night[] {
  const nights = new Map<CalendarDate, UsageRecord[]>()
  for (const record of records) {
    const date = nightDateOf(record)
    const known = nights.get(date)
    if (known) known.push(record)
    else nights.set(date, [record])
  }
  return Array.from(nights, ([date, found]) => ({ date, records: found })).sort((one, other) =>
    one.date < other.date ? -1 : 1,
  )
}

/** Minutes from noon of the night's evening to the start and the end of a use, on the device's wall clock. */
export function minuteRangeOf(
  date: CalendarDate,
  { start, seconds }: UsageRecord,
): { from: number; to: number } {
  const from = (Date.parse(`${start.slice(0, 19)}Z`) - noon(date).getTime()) / MINUTE
  return { from, to: from + seconds / 60 }
}

/** The end of a use, ISO 8601 without zone. */
export const endOfUse = ({ start, seconds }: UsageRecord): string =>
  new Date(Date.parse(`${start.slice(0, 19)}Z`) + seconds * 1_000).toISOString().slice(0, 19)

/** Seconds of use. */
export const usageSecondsOf = ({ records }: Night): number =>
  records.reduce((sum, { seconds }) => sum + seconds, 0)

/** Whether the last log of a use is missing, so that the night was longer than is known. */
export const isUnfinished = ({ records }: Night): boolean => records.some(isOpen)

/** A moment at which the electrodes lost contact, and when the device went on, if it did. */
export interface ContactLoss {
  at: string
  again: string | undefined
}

export const lossesOf = ({ records }: Night): ContactLoss[] =>
  records.flatMap((record, index) =>
    lostContact(record) ? [{ at: endOfUse(record), again: records[index + 1]?.start }] : [],
  )

/** The first moment and the last, of those that are known. */
export function spanOf({ records }: Night): { start: string; end: string } {
  const ends = records.map(endOfUse).sort()
  return { start: records[0]?.start ?? '', end: ends.at(-1) ?? '' }
}
