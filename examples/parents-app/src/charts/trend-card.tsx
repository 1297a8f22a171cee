import type { ComponentType } from 'react'
import { StyleSheet, View } from 'react-native'
import type { Topic } from '../help/topics'
import { useLanguage } from '../i18n/language'
import { Card } from '../ui/card'
import { InfoButton } from '../help/info-button'
import { Words } from '../ui/words'
import type { AxisChartProps } from './chart-frame'
import { NoRecordMark } from './no-record-mark'
import { OpenDay } from './open-day'
import { periodOf } from './period-of'
import { coverage } from './series'
import type { Point } from './series'
import { useChosenDate } from './use-chosen-date'

interface TrendCardProps {
  childId: number
  title: string
  points: readonly Point[]
  average: number
  /** The average of the period before, which has as many days; undefined without data. */
  averageBefore?: number | undefined
  /** The unit of the axis, 1 by default. */
  unit?: number
  formatValue: (value: number) => string
  formatAxis?: (value: number) => string
  formatShort?: (value: number) => string
  chart: ComponentType<AxisChartProps>
  /** The page that explains what is measured. */
  topic?: Topic
  /** Whether it says what a tap does. Of several charts, the first does. */
  isTapExplained?: boolean
}

/** A chart with its average, or with the value of the chosen date, and with what is to be known about its dates. */
export function TrendCard({
  childId,
  title,
  points,
  average,
  averageBefore,
  chart: Chart,
  unit = 1,
  formatValue,
  formatShort,
  topic,
  isTapExplained = false,
  ...axis
}: TrendCardProps) {
  const { t, format } = useLanguage()
  const { point, chosen, onChoose } = useChosenDate(points)
  const describe = ({ date, value }: Point) =>
    `${format.dayAndMonth(date)}: ${value === null ? t.trends.noValue : formatValue(value)}`
  const { known, longestGap } = coverage(points)
  const hasData = known > 0
  return (
    <Card
      title={title}
      aside={!hasData ? undefined : point ? describe(point) : t.trends.average(formatValue(average))}
      action={topic ? <InfoButton topic={topic} of={title} /> : undefined}
    >
      {hasData ? (
        <>
          <Chart
            points={points}
            label={t.trends.chart(title, periodOf(points, format), formatValue(average))}
            describe={describe}
            chosen={chosen}
            onChoose={onChoose}
            unit={unit}
            formatAxis={axis.formatAxis ?? formatValue}
            formatShort={formatShort}
          />
          <View style={styles.notes}>
            {averageBefore === undefined ? null : (
              <Words kind="caption" tone="muted">
                {compared(average - averageBefore)}
              </Words>
            )}
            {known < points.length ? (
              <View accessible style={styles.legend}>
                <View style={styles.mark}>
                  <NoRecordMark />
                </View>
                <Words kind="caption" tone="muted">
                  {t.trends.missing(points.length - known, points.length, longestGap)}
                </Words>
              </View>
            ) : null}
            {point || !isTapExplained ? null : (
              <Words kind="caption" tone="muted">
                {t.trends.tap}
              </Words>
            )}
          </View>
        </>
      ) : (
        <Words tone="muted">{t.trends.empty}</Words>
      )}
      {hasData && point ? <OpenDay childId={childId} date={point.date} /> : null}
    </Card>
  )

  function compared(more: number): string {
    const value = formatValue(Math.abs(more))
    // A difference that is written as 0 is none.
    if (value === formatValue(0)) return t.trends.asBefore(points.length)
    return more > 0
      ? t.trends.moreThanBefore(value, points.length)
      : t.trends.lessThanBefore(value, points.length)
  }
}

const styles = StyleSheet.create({
  notes: { gap: 4 },
  legend: { flexDirection: 'row', alignItems: 'center', gap: 6 },
  mark: { width: 16, alignItems: 'center' },
})
