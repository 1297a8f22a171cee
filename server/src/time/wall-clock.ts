/*
 * Days and times as a wall clock shows them: texts without a zone. They are never converted to instants, so they cannot
 * shift by a day.
 */

const DATE = /^\d{4}-\d{2}-\d{2}$/
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?$/

const isLeapYear = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

/** The number of days in the month (1 to 12) of `year`. */
export const daysInMonth = (year: number, month: number) =>
  month === 2 ? (isLeapYear(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31

/** Whether `text` is an existing day in the years 1 to 9999, as `yyyy-mm-dd`. */
export function isCalendarDate(text: string): boolean {
  if (!DATE.test(text)) return false
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))]
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
}

/**
 * Whether `text` is an ISO 8601 date and time without a zone: `yyyy-mm-ddThh:mm`; seconds and fractions are optional.
 */
export function isLocalDateTime(text: string): boolean {
  return DATE_TIME.test(text) && isCalendarDate(text.slice(0, 10))
}

/** Returns the day `days` after `date` (before it, if negative), clamped to the years 1 to 9999. */
export function addDays(date: string, days: number): string {
  const at = new Date(`${date}T00:00:00Z`)
  at.setUTCDate(at.getUTCDate() + days)
  const year = at.getUTCFullYear()
  if (year < 1) return '0001-01-01'
  return year > 9999 ? '9999-12-31' : at.toISOString().slice(0, 10)
}

const midnight = (date: string) => Date.parse(`${date}T00:00:00Z`)

/** Returns the number of days from `first` to `last`, negative if `last` is earlier. */
export const daysBetween = (first: string, last: string) => (midnight(last) - midnight(first)) / 86_400_000

/** Returns the day of the week; 0 is Sunday. */
export const weekday = (date: string) => new Date(midnight(date)).getUTCDay()

interface Clock {
  format: Intl.DateTimeFormat
  second: number
  shows: string
}

// A formatter is kept because creating one costs more than a whole request, and what it last showed because nearly every
// request asks for the day.
const clocks = new Map<string, Clock>()

/** Returns the time `now` in an IANA time zone as `yyyy-mm-ddThh:mm:ss`. */
export function wallClock(timeZone: string, now = new Date()): string {
  let clock = clocks.get(timeZone)
  if (!clock) {
    // The Swedish locale formats dates as in ISO 8601, with a space before the time.
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
    clock = { format, second: NaN, shows: '' }
    clocks.set(timeZone, clock)
  }
  const second = Math.floor(now.getTime() / 1000)
  if (second !== clock.second) {
    clock.shows = clock.format.format(now).replace(' ', 'T')
    clock.second = second
  }
  return clock.shows
}

/** Whether a time zone has this name. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name }).format()
    return true
  } catch {
    return false
  }
}

/** Returns the date of `now` in an IANA time zone, as `yyyy-mm-dd`. */
export const today = (timeZone: string, now = new Date()): string => wallClock(timeZone, now).slice(0, 10)

/** Returns by how many minutes an IANA time zone is ahead of UTC at `now`; negative west of Greenwich. */
export function utcOffset(timeZone: string, now = new Date()): number {
  const seconds = Date.parse(`${wallClock(timeZone, now)}Z`) / 1000
  return (seconds - Math.floor(now.getTime() / 1000)) / 60
}
