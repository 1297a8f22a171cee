import { moveMonth } from '../calendar/month-grid'
import { addDays, calendarDateFromParts, dayOf, monthOf, yearOf } from '../time/dates'
import type { CalendarDate } from '../time/dates'

/** A period of `months` that ends with `last`. A day that the first month does not have becomes its last day. */
export function periodEndingOn(
  last: CalendarDate,
  months: number,
): { start_date: CalendarDate; end_date: CalendarDate } {
  const after = addDays(last, 1)
  const { year, month } = moveMonth({ year: yearOf(after), month: monthOf(after) }, -months)
  const longest = new Date(Date.UTC(year, month, 0)).getUTCDate()
  return { start_date: calendarDateFromParts(year, month, Math.min(dayOf(after), longest)), end_date: last }
}
