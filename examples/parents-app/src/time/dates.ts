/** A calendar date, `yyyy-mm-dd`, without a time zone. */
export type CalendarDate = string

const two = (value: number) => String(value).padStart(2, '0')

export const calendarDateFromParts = (year: number, month: number, day: number): CalendarDate =>
  `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`

/** Today's date where the user is. */
export const today = (now = new Date()): CalendarDate =>
  calendarDateFromParts(now.getFullYear(), now.getMonth() + 1, now.getDate())

/** The date and time where the user is, ISO 8601 without zone. */
export const wallClock = (now: Date): string =>
  `${today(now)}T${two(now.getHours())}:${two(now.getMinutes())}:${two(now.getSeconds())}`

/** Noon UTC on that date: no clock change can shift arithmetic and formatting to another date. */
export const noon = (date: CalendarDate): Date => new Date(`${date}T12:00:00Z`)

export function addDays(date: CalendarDate, days: number): CalendarDate {
  const moved = noon(date)
  moved.setUTCDate(moved.getUTCDate() + days)
  return moved.toISOString().slice(0, 10)
}

/** The days from one date to another; negative if the other is earlier. */
export const daysBetween = (from: CalendarDate, to: CalendarDate): number =>
  Math.round((noon(to).getTime() - noon(from).getTime()) / 86_400_000)

/** The dates of a window of `days` that ends with `last`, ascending. */
export const datesUntil = (last: CalendarDate, days: number): CalendarDate[] =>
  Array.from({ length: days }, (_, index) => addDays(last, index - days + 1))

export const yearOf = (date: CalendarDate) => Number(date.slice(0, 4))
export const monthOf = (date: CalendarDate) => Number(date.slice(5, 7))
export const dayOf = (date: CalendarDate) => Number(date.slice(8, 10))

/** Whether this date exists, which 30 February does not. */
export const dateExists = (date: CalendarDate): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(date) &&
  !Number.isNaN(noon(date).getTime()) &&
  noon(date).toISOString().slice(0, 10) === date

/** Milliseconds until the user's day ends. */
export const untilMidnight = (now = new Date()): number =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1).getTime() - now.getTime()
