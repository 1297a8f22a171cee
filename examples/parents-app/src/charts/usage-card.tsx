import type { RecentChart } from '@companion/sdk'
import { useLanguage } from '../i18n/language'
import type { CalendarDate } from '../time/dates'
import { BarChart } from './bar-chart'
import { secondsUnit, series } from './series'
import type { Point } from './series'
import { TrendCard } from './trend-card'

/** Seconds of use on each date of a window. */
export const usageOf = (chart: RecentChart, last: CalendarDate, days: number): Point[] =>
  series(
    last,
    days,
    chart.treatment_time_data.map(({ treatment_date, treatment_time }) => [treatment_date, treatment_time]),
  )

interface UsageCardProps {
  childId: number
  title: string
  points: readonly Point[]
  average: number
}

/** A chart of how long the device was used. */
export function UsageCard({ childId, title, points, average }: UsageCardProps) {
  const { format } = useLanguage()
  const unit = secondsUnit(points)
  return (
    <TrendCard
      childId={childId}
      title={title}
      chart={BarChart}
      points={points}
      average={average}
      unit={unit}
      formatValue={format.duration}
      formatAxis={(seconds) => format.axisDuration(seconds, unit)}
    />
  )
}
