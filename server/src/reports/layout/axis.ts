import { addDays, weekday } from '../../time/wall-clock.ts'
import type { Words } from '../languages/words.ts'

/**
 * The highest of `values` and at least 1, without outliers, which would flatten the rest: those beyond four times of what
 * three quarters of the values above 0 do not exceed.
 */
export function axisMaximum(values: readonly (number | null)[]): number {
  const known = values
    .filter((value) => value !== null)
    .filter((value) => value > 0)
    .toSorted((one, other) => one - other)
  const usual = known[Math.floor(0.75 * (known.length - 1))] ?? 1
  return Math.max(1, known.findLast((value) => value <= 4 * usual) ?? 1)
}

/** Returns about `count` round numbers that cover `least` to `most`. */
export function ticks(least: number, most: number, count = 4): number[] {
  const span = Math.max(most - least, 1e-9)
  const power = 10 ** Math.floor(Math.log10(span / count))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => span / each <= count) ?? power
  const first = Math.floor(least / step + 1e-9)
  const last = Math.max(first + 1, Math.ceil(most / step - 1e-9))
  return Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  )
}

/** Returns ticks that cover `values` and at least `span`, so that a small change does not look like a large one. */
export function ticksCovering(values: readonly number[], span: number): number[] {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const missing = Math.max(0, span - (most - least)) / 2
  return ticks(least - missing, most + missing)
}

/** Returns ticks at full hours that cover 0 to `most` hours. */
export function hourTicks(most: number): number[] {
  const step = [1, 2, 3, 4, 6].find((each) => most / each <= 5) ?? 6
  return Array.from({ length: Math.max(1, Math.ceil(most / step)) + 1 }, (_, index) => index * step)
}

/** The maximum number of dates in a chart that still names days; a longer chart has room only for months. */
export const MAX_DATES_WITH_DAY_NAMES = 62

export interface DateTick {
  index: number
  label: string
}

/** Picks the labels under a chart of `count` dates from `first` on: days, Sundays, or the firsts of months. */
export function dateTicks(first: string, count: number, words: Words): DateTick[] {
  const dates = Array.from({ length: count }, (_, index) => addDays(first, index))
  const isNamed = (date: string) => {
    if (count <= 10) return true
    if (count <= MAX_DATES_WITH_DAY_NAMES) return weekday(date) === 0
    return date.endsWith('-01')
  }
  return dates
    .map((date, index) => ({ date, index }))
    .filter(({ date }) => isNamed(date))
    .map(({ date, index }) => ({
      index,
      label:
        count <= MAX_DATES_WITH_DAY_NAMES
          ? words.shortDate(date)
          : count <= 120
            ? words.month(date)
            : words.shortMonth(date),
    }))
}
