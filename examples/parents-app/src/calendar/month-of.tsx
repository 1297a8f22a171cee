import { useMonth, useRecords } from '../companion/queries'
import { lostContact } from '../nights/record'
import { addDays, calendarDateFromParts } from '../time/dates'
import type { CalendarDate } from '../time/dates'
import { Loaded } from '../ui/loaded'
import { Failure } from '../ui/failure'
import { moveMonth } from './month-grid'
import type { Month } from './month-grid'
import { MonthView } from './month-view'

interface MonthOfProps {
  childId: number
  month: Month
  today: CalendarDate
  chosen: CalendarDate
  onChoose: (date: CalendarDate) => void
}

const firstOf = ({ year, month }: Month) => calendarDateFromParts(year, month, 1)

/** A child's month. If it cannot be loaded, its days say so and can still be chosen. */
export function MonthOf({ childId, month, ...view }: MonthOfProps) {
  const query = useMonth(childId, month.year, month.month)
  const records = useRecords(childId, firstOf(month), addDays(firstOf(moveMonth(month, 1)), -1))
  const issues = new Set(records.data?.filter(lostContact).map(({ start }) => start.slice(0, 10)))
  if (query.data === undefined && query.isFetched)
    return (
      <>
        <Failure error={query.error} />
        <MonthView month={month} history={undefined} issues={issues} {...view} />
      </>
    )
  return (
    <Loaded query={query}>
      {(history) => (
        <>
          <Failure error={records.data ? null : records.error} />
          <MonthView month={month} history={history} issues={issues} {...view} />
        </>
      )}
    </Loaded>
  )
}
