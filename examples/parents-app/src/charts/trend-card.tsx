import type { ComponentType } from 'react'
import { useLanguage } from '../i18n/language'
import { Card } from '../ui/card'
import { Words } from '../ui/words'
import type { AxisChartProps } from './chart-frame'
import { OpenDay } from './open-day'
import { periodOf } from './period-of'
import type { Point } from './series'
import { useChosenDate } from './use-chosen-date'

interface TrendCardProps {
  childId: number
  title: string
  points: readonly Point[]
  average: number
  /** The unit of the axis, 1 by default. */
  unit?: number
  formatValue: (value: number) => string
  formatAxis?: (value: number) => string
  chart: ComponentType<AxisChartProps>
}

/** A chart with its average, or with the value of the chosen date. */
export function TrendCard({
  childId,
  title,
  points,
  average,
  chart: Chart,
  unit = 1,
  formatValue,
  ...axis
}: TrendCardProps) {
  const { t, format } = useLanguage()
  const { point, chosen, onChoose } = useChosenDate(points)
  const describe = ({ date, value }: Point) =>
    `${format.dayAndMonth(date)}: ${value === null ? t.trends.noValue : formatValue(value)}`
  const hasData = points.some(({ value }) => value !== null)
  return (
    <Card
      title={title}
      aside={!hasData ? undefined : point ? describe(point) : t.trends.average(formatValue(average))}
    >
      {hasData ? (
        <Chart
          points={points}
          label={t.trends.chart(title, periodOf(points, format), formatValue(average))}
          describe={describe}
          chosen={chosen}
          onChoose={onChoose}
          unit={unit}
          formatAxis={axis.formatAxis ?? formatValue}
        />
      ) : (
        <Words tone="muted">{t.trends.empty}</Words>
      )}
      {hasData && point ? <OpenDay childId={childId} date={point.date} /> : null}
    </Card>
  )
}
