import { addDays, addMonthsToDate } from '../time/dates'
import type { CalendarDate } from '../time/dates'

/**
 * The first day of a report of `months` months that holds yesterday, and ends with it where a report can. Three months from
 * 28 February end with 27 May, those from 1 March with 31 May, and none between.
 */
export function firstDayOfReport(today: CalendarDate, months: number): CalendarDate {
  const first = addMonthsToDate(today, -months)
  return first.slice(8) === today.slice(8) ? first : addDays(first, 1)
}
