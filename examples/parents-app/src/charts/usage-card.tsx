import { useLanguage } from '../i18n/language'
import { BarChart } from './bar-chart'
import type { UsageChart } from './join-charts'
import { secondsUnit } from './series'
import type { Point } from './series'
import { TrendCard } from './trend-card'

/** Seconds of use on each date of a window. */
export const usageOf = (chart: UsageChart): Point[] =>
  chart.treatment_time_data.map(({ treatment_date, treatment_time }) => ({
    date: treatment_date,
    value: treatment_time,
  }))

interface UsageCardProps {
  childId: number
  title: string
  points: readonly Point[]
  average: number
  averageBefore?: number | undefined
}

/** A chart of how long the device was used. */
export function UsageCard({ childId, title, points, average, averageBefore }: UsageCardProps) {
  const { format } = useLanguage()
  const unit = secondsUnit(points)
  return (
    <TrendCard
      childId={childId}
      title={title}
      isTapExplained
      chart={BarChart}
      points={points}
      average={average}
      averageBefore={averageBefore}
      unit={unit}
      formatValue={format.duration}
      formatAxis={(seconds) => format.axisDuration(seconds, unit)}
      formatShort={format.shortDuration}
    />
  )
}
