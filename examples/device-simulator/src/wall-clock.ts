// The device has no time zone. But for the time that it is now, its dates are computed with UTC fields only, so that the time zone of this computer and
// its daylight saving never move a night to another date.

const DAY_MILLISECONDS = 86_400_000

/** Days from 1970-01-01 to a date `yyyy-mm-dd`. Throws a RangeError if there is no such date. */
export function dayNumber(date: string): number {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== date) {
    throw new RangeError(`There is no calendar date yyyy-mm-dd like ${date}`)
  }
  return time / DAY_MILLISECONDS
}

/** The date `yyyy-mm-dd` of a day number. */
export function dateOfDay(day: number): string {
  return new Date(day * DAY_MILLISECONDS).toISOString().slice(0, 10)
}

/** The date `yyyy-mm-dd` that is `days` later (earlier when negative). */
export function addDays(date: string, days: number): string {
  return dateOfDay(dayNumber(date) + days)
}

/** The wall clock `yyyy-mm-ddThh:mm:ss` at a number of seconds after midnight; from 86,400 s on it is on the next date. */
export function wallClockAtSecond(date: string, secondsAfterMidnight: number): string {
  return new Date(dayNumber(date) * DAY_MILLISECONDS + secondsAfterMidnight * 1000).toISOString().slice(0, 19)
}

/** The wall clock of this computer, `yyyy-mm-ddThh:mm:ss`. */
export function wallClockHere(now: Date): string {
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}
