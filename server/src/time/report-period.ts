import type { DateRange } from './chart-window.ts'
import { addDays, daysBetween, daysInMonth } from './wall-clock.ts'

/** Counts the days from `first` to `last`, both included. */
export const countDays = ({ first, last }: DateRange) => daysBetween(first, last) + 1

/**
 * Returns the period of `months` months from `first`. It ends the day before the same day of the final month; if that
 * month is too short, before its last day.
 */
export function periodOfMonths(first: string, months: number): DateRange {
  const [year = 0, month = 0, day = 0] = first.split('-').map(Number)
  const index = 12 * year + month - 1 + months
  const [lastYear, lastMonth] = [Math.floor(index / 12), (index % 12) + 1]
  if (lastYear > 9999) return { first, last: '9999-12-31' }
  const sameDay = [
    String(lastYear).padStart(4, '0'),
    String(lastMonth).padStart(2, '0'),
    String(Math.min(day, daysInMonth(lastYear, lastMonth))).padStart(2, '0'),
  ].join('-')
  return { first, last: addDays(sameDay, -1) }
}
