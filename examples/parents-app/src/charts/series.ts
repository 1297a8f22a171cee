import { datesUntil } from '../time/dates'
import type { CalendarDate } from '../time/dates'

/** One date of a chart. The value is null if there is no data. */
export interface Point {
  date: CalendarDate
  value: number | null
}

/** Every date of the window of `days` that ends with `last`, with its value if it has one. */
export function dailyPoints(
  last: CalendarDate,
  days: number,
  values: readonly (readonly [string, number])[],
): Point[] {
  const known = new Map(values.map(([date, value]) => [date.slice(0, 10), value]))
  return datesUntil(last, days).map((date) => ({ date, value: known.get(date) ?? null }))
}

/** The lowest and highest value of an axis. */
export interface Range {
  bottom: number
  top: number
}

/** The top of an axis that starts at 0: a round number of units (3,600 for hours) at or above all values. */
export function axisTop(points: readonly Point[], unit: number): number {
  const most = greatest(points) / unit
  const power = 10 ** Math.floor(Math.log10(most || 1))
  const factor = [1, 1.2, 1.6, 2, 3, 4, 6, 8, 10].find((step) => step * power >= most) ?? 10
  return factor * power * unit
}

/** An axis for values far from 0: two round steps that enclose all values. */
export function closeRange(points: readonly Point[]): Range {
  const values = points.flatMap(({ value }) => (value === null ? [] : [value]))
  const [least, most] = [Math.min(...values), Math.max(...values)]
  for (let power = 1; ; power *= 10)
    for (const step of [1, 2, 5].map((factor) => factor * power)) {
      const bottom = Math.floor(least / step) * step
      if (bottom + 2 * step >= most) return { bottom, top: bottom + 2 * step }
    }
}

/** The unit for seconds: minutes, or hours for long durations. */
export const secondsUnit = (points: readonly Point[]): number => (greatest(points) > 7_200 ? 3_600 : 60)

const greatest = (points: readonly Point[]) => Math.max(0, ...points.map(({ value }) => value ?? 0))

/** The pieces of a line. A date without data interrupts it. */
export function lineSegments(points: readonly Point[]): { index: number; value: number }[][] {
  const found: { index: number; value: number }[][] = []
  let open: { index: number; value: number }[] | undefined
  for (const [index, { value }] of points.entries()) {
    if (value === null) open = undefined
    else if (open) open.push({ index, value })
    else found.push((open = [{ index, value }]))
  }
  return found
}

/** How many dates of a chart have data, and the longest row of dates without, between two that have. */
export function coverage(points: readonly Point[]): { known: number; longestGap: number } {
  const known = points.flatMap(({ value }, index) => (value === null ? [] : [index]))
  const gaps = known.map((index, at) => (at === 0 ? 0 : index - (known[at - 1] ?? 0) - 1))
  return { known: known.length, longestGap: Math.max(0, ...gaps) }
}

/**
 * Whether a date has a label under the chart: all of a week, every seventh of a month, every 15th of a quarter, or every
 * 30th where there is little room, from the newest.
 */
export const isLabelled = (index: number, count: number, isTight: boolean): boolean =>
  (count - 1 - index) % (count <= 7 ? 1 : count <= 31 ? 7 : isTight ? 30 : 15) === 0

/** The index of the date nearest to `x` in a chart of this width. */
export const nearestIndex = (x: number, width: number, count: number): number =>
  Math.min(count - 1, Math.max(0, Math.floor((x / width) * count)))
