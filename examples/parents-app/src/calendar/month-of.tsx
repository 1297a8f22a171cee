import { useMonth } from '../companion/queries'
import type { CalendarDate } from '../time/dates'
import { Answered } from '../ui/answered'
import { Failure } from '../ui/failure'
import type { Month } from './month-grid'
import { MonthView } from './month-view'

interface MonthOfProps {
  childId: number
  month: Month
  today: CalendarDate
  chosen: CalendarDate
  onChoose: (date: CalendarDate) => void
}

/** A child's month. If it cannot be loaded, its days can still be chosen. */
export function MonthOf({ childId, month, ...view }: MonthOfProps) {
  const query = useMonth(childId, month.year, month.month)
  if (query.data === undefined && query.isFetched)
    return (
      <>
        <Failure error={query.error} />
        <MonthView month={month} history={[]} {...view} />
      </>
    )
  return (
    <Answered query={query}>{(history) => <MonthView month={month} history={history} {...view} />}</Answered>
  )
}
