import { addDays, calendarDateFromParts, monthOf, noon } from '../time/dates'
import type { CalendarDate } from '../time/dates'

export interface Month {
  year: number
  month: number
}

export function moveMonth({ year, month }: Month, by: number): Month {
  const index = year * 12 + month - 1 + by
  return { year: Math.floor(index / 12), month: (((index % 12) + 12) % 12) + 1 }
}

/** The weeks of a month, Sunday to Saturday. Days of other months are null. */
export function monthGrid({ year, month }: Month): (CalendarDate | null)[][] {
  const first = calendarDateFromParts(year, month, 1)
  const weeks: (CalendarDate | null)[][] = []
  for (let sunday = addDays(first, -noon(first).getUTCDay()); ; sunday = addDays(sunday, 7)) {
    const days = Array.from({ length: 7 }, (_, index) => addDays(sunday, index))
    if (weeks.length > 0 && days.every((date) => monthOf(date) !== month)) return weeks
    weeks.push(days.map((date) => (monthOf(date) === month ? date : null)))
  }
}
