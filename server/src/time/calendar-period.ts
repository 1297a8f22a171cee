import { Failure } from '../errors/failure.ts'
import type { ErrorDeclaration } from '../errors/failure.ts'
import type { DateRange } from './chart-window.ts'
import { addDays, daysBetween, daysInMonth, weekday } from './wall-clock.ts'

/** The failures of choosing a calendar period; every operation that takes one declares these. */
export const periodErrors = [
  [400, 'Invalid mode', '`select_mode` is not 0 to 3'],
  [422, 'select_data for mode 0 (week) must be between 0 and 54'],
  [422, 'select_data for mode 1 (month) must be between 0 and 12'],
  [422, 'select_data for mode 2 (quarter) must be between 0 and 4'],
  [422, 'The year must be between 1 and 9999'],
] as const satisfies readonly ErrorDeclaration[]

const [invalidMode, invalidWeek, invalidMonth, invalidQuarter, invalidYear] = periodErrors

interface Division {
  most: number
  error: ErrorDeclaration
  /** The number, within its year, of the week, month or quarter that contains `day`. */
  holding: (day: string) => number
  days: (year: number, number: number) => DateRange | undefined
}

/** The divisions of a year that `select_mode` 0 to 2 select. */
const divisions: readonly Division[] = [
  { most: 54, error: invalidWeek, holding: weekOf, days: week },
  {
    most: 12,
    error: invalidMonth,
    holding: monthOf,
    days: (year, month) => months(year, month, month),
  },
  {
    most: 4,
    error: invalidQuarter,
    holding: (day) => Math.ceil(monthOf(day) / 3),
    days: (year, quarter) => months(year, 3 * quarter - 2, 3 * quarter),
  },
]

/**
 * Returns the days selected by `select_mode` (0 week, 1 month, 2 quarter, 3 year), `year` (0: the current one) and
 * `select_data` (0: the number that the current week, month or quarter has in its year), or undefined if the year has
 * no week of that number. Throws one of `periodErrors`. Contract, "GET event/history".
 */
export function calendarPeriod(
  { select_mode, year, select_data }: { select_mode: number; year: number; select_data: number },
  today: string,
): DateRange | undefined {
  if (![0, 1, 2, 3].includes(select_mode)) throw new Failure(...invalidMode)
  const division = divisions[select_mode]
  if (division && (select_data < 0 || select_data > division.most)) throw new Failure(...division.error)
  if (year < 0 || year > 9999) throw new Failure(...invalidYear)
  const chosen = year || Number(today.slice(0, 4))
  return division ? division.days(chosen, select_data || division.holding(today)) : months(chosen, 1, 12)
}

/** Weeks run from Sunday to Saturday; week 1 contains 1 January. A week across the year's end keeps its seven days. */
function week(year: number, number: number): DateRange | undefined {
  const newYear = date(year, 1, 1)
  const start = 7 * (number - 1) - weekday(newYear)
  if (start > daysBetween(newYear, date(year, 12, 31))) return undefined
  return { first: addDays(newYear, start), last: addDays(newYear, start + 6) }
}

function weekOf(day: string): number {
  const newYear = `${day.slice(0, 4)}-01-01`
  return Math.floor((daysBetween(newYear, day) + weekday(newYear)) / 7) + 1
}

function monthOf(day: string): number {
  return Number(day.slice(5, 7))
}

const months = (year: number, first: number, last: number): DateRange => ({
  first: date(year, first, 1),
  last: date(year, last, daysInMonth(year, last)),
})

const date = (year: number, month: number, day: number) =>
  [String(year).padStart(4, '0'), ...[month, day].map((part) => String(part).padStart(2, '0'))].join('-')
