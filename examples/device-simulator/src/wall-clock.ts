// The device knows no time zone. Its dates are counted on UTC fields only, so that the zone of the bench and
// its daylight saving can never move a night to another date.

const DAY_MILLISECONDS = 86_400_000

/** Days from 1970-01-01 to a date `yyyy-mm-dd`; a RangeError when there is no such date. */
export function dayNumber(date: string): number {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== date) {
    throw new RangeError(`Not a calendar date yyyy-mm-dd: ${date}`)
  }
  return time / DAY_MILLISECONDS
}

/** The date `yyyy-mm-dd` of a day number. */
export function dateOfDay(day: number): string {
  return new Date(day * DAY_MILLISECONDS).toISOString().slice(0, 10)
}

/** The date so many days later (earlier when negative), `yyyy-mm-dd`. */
export function addDays(date: string, days: number): string {
  return dateOfDay(dayNumber(date) + days)
}

/** The wall clock `yyyy-mm-ddThh:mm:ss` so many seconds after midnight; from 86,400 s on the next date's. */
export function wallClock(date: string, secondsAfterMidnight: number): string {
  return new Date(dayNumber(date) * DAY_MILLISECONDS + secondsAfterMidnight * 1000).toISOString().slice(0, 19)
}

/** The date `yyyy-mm-dd` before the given moment's (UTC). */
export function yesterday(now: Date): string {
  return dateOfDay(Math.floor(now.getTime() / DAY_MILLISECONDS) - 1)
}
