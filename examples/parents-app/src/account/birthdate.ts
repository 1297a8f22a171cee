import { exists } from '../time/dates'
import type { CalendarDate } from '../time/dates'

/** A typed date (2018-02-03, 2018.2.3, 20180203) as `yyyymmdd`; undefined if it is not a birth date. */
export function toBirthdate(typed: string, today: CalendarDate): string | undefined {
  const [, year, month, day] =
    /^\s*(\d{4})(?:[-./\s]+(?=\d{1,2}\D)|(?=\d{4}\s*$))(\d{1,2})(?:[-./\s]+|(?=\d{2}\s*$))(\d{1,2})[.\s]*$/.exec(
      typed,
    ) ?? []
  if (!year || !month || !day) return undefined
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return exists(date) && date <= today && date >= '1900-01-01' ? date.replaceAll('-', '') : undefined
}

/** `yyyymmdd` as a calendar date. */
const birthdateToDate = (birthdate: string): CalendarDate =>
  `${birthdate.slice(0, 4)}-${birthdate.slice(4, 6)}-${birthdate.slice(6, 8)}`

/** Completed years of life. */
export function ageOn(birthdate: string, today: CalendarDate): number {
  const years = Number(today.slice(0, 4)) - Number(birthdate.slice(0, 4))
  return today.slice(5) < birthdateToDate(birthdate).slice(5) ? years - 1 : years
}
