import { useMonth } from '../companion/queries'
import type { CalendarDate } from '../time/dates'
import { Answered } from '../ui/answered'
import type { Month } from './month-grid'
import { MonthView } from './month-view'

interface MonthOfProps {
  childId: number
  month: Month
  today: CalendarDate
  chosen: CalendarDate
  onChoose: (date: CalendarDate) => void
}

/** The month of a child, with what the service knows of it. */
export const MonthOf = ({ childId, month, ...view }: MonthOfProps) => (
  <Answered query={useMonth(childId, month.year, month.month)}>
    {(history) => <MonthView month={month} history={history} {...view} />}
  </Answered>
)
