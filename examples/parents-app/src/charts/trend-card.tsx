import type { ComponentType } from 'react'
import { useLanguage } from '../i18n/language'
import { Card } from '../ui/card'
import { Words } from '../ui/words'
import type { AxisChartProps } from './chart-frame'
import type { Point } from './series'
import { useChosenDate } from './use-chosen-date'

interface TrendCardProps {
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
          label={t.trends.chart(title, points.length, formatValue(average))}
          describe={describe}
          chosen={chosen}
          onChoose={onChoose}
          unit={unit}
          formatAxis={axis.formatAxis ?? formatValue}
        />
      ) : (
        <Words tone="muted">{t.trends.empty}</Words>
      )}
    </Card>
  )
}
