import { wholeMinutes } from '../i18n/format'
import { addDays } from '../time/dates'
import type { CalendarDate } from '../time/dates'
import { isUnfinished, secondsOf } from './night'
import type { Night } from './night'

/** The nights before it with which a night is compared. */
const COMPARED_DAYS = 28
/** With fewer nights than this, nothing is usual. */
const FEWEST = 5
/** A difference below this, in seconds, is none. */
const SAME = 15 * 60

export interface Judgement {
  /** Seconds: the median of the nights compared. */
  usual: number
  /** The number of nights compared. */
  count: number
  kind: 'more' | 'less' | 'usual'
  /** Seconds between this night and the usual one. */
  difference: number
}

/** Compares a complete night with those of the four weeks before it that have a record. */
export function judge(night: Night, nights: readonly Night[]): Judgement | undefined {
  const first = addDays(night.date, -COMPARED_DAYS)
  const compared = nights.filter(
    (other) => other.date >= first && other.date < night.date && !isUnfinished(other),
  )
  if (isUnfinished(night) || compared.length < FEWEST) return undefined
  const usual = median(compared.map(secondsOf))
  // The difference of the two lengths as they are shown.
  const more = 60 * (wholeMinutes(secondsOf(night)) - wholeMinutes(usual))
  const kind = Math.abs(more) < SAME ? 'usual' : more > 0 ? 'more' : 'less'
  return { usual, count: compared.length, kind, difference: Math.abs(more) }
}

function median(values: readonly number[]): number {
  const ordered = [...values].sort((one, other) => one - other)
  const middle = (ordered.length - 1) / 2
  return ((ordered[Math.floor(middle)] ?? 0) + (ordered[Math.ceil(middle)] ?? 0)) / 2
}

/** The number of nights with a record, one after the other, up to and including `last`. */
export function streak(nights: readonly Night[], last: CalendarDate): number {
  const dates = new Set(nights.map(({ date }) => date))
  let count = 0
  while (dates.has(addDays(last, -count))) count++
  return count
}
