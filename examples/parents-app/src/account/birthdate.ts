import { dateExists } from '../time/dates'
import type { CalendarDate } from '../time/dates'

/** The earliest birth date of a person alive. */
export const EARLIEST_BIRTH: CalendarDate = '1900-01-01'

/** A date as `yyyymmdd`; undefined if it is not a birth date. */
export const toBirthdate = (date: CalendarDate | undefined, today: CalendarDate): string | undefined =>
  date !== undefined && dateExists(date) && date >= EARLIEST_BIRTH && date <= today
    ? date.replaceAll('-', '')
    : undefined

/** `yyyymmdd` as a calendar date. */
export const birthdateToDate = (birthdate: string): CalendarDate =>
  `${birthdate.slice(0, 4)}-${birthdate.slice(4, 6)}-${birthdate.slice(6, 8)}`

/** Completed years of life. */
export function ageOn(birthdate: string, today: CalendarDate): number {
  const years = Number(today.slice(0, 4)) - Number(birthdate.slice(0, 4))
  return today.slice(5) < birthdateToDate(birthdate).slice(5) ? years - 1 : years
}
