import type { ReactNode } from 'react'
import { StyleSheet, useWindowDimensions, View } from 'react-native'
import { useLanguage } from '../i18n/language'
import { usePalette } from '../theme/use-palette'
import { dayOf } from '../time/dates'
import { useFontScale } from '../ui/font-scale'
import { Words } from '../ui/words'
import { DateArea } from './date-area'
import { NoRecordMark } from './no-record-mark'
import { isLabelled } from './series'
import type { Point, Range } from './series'

export interface ChartProps {
  points: readonly Point[]
  /** What a screen reader says about the whole chart. */
  label: string
  /** What a screen reader says about one date. */
  describe: (point: Point) => string
  /** The index of the chosen date. */
  chosen: number | undefined
  onChoose: (index: number | undefined) => void
  formatAxis: (value: number) => string
  /** The value of a date, short enough to stand in the chart of a week. */
  formatShort?: ((value: number) => string) | undefined
}

/** A chart on an axis that starts at 0. */
export interface AxisChartProps extends ChartProps {
  /** The unit of the axis, such as 3,600 for hours. */
  unit: number
}

export interface FrameProps extends ChartProps {
  range: Range
  children: ReactNode
}

export const CHART_HEIGHT = 140
/** Room for the axis, at the usual text size. */
const GUTTER = 44
/** Larger labels would leave no room for the chart itself. */
const LARGEST = 1.3
/** The distance of a value from the end of its bar, or from the edge of its dot. */
const ABOVE = 5
/** A phone on which the dates of a quarter stand close to each other. */
const SMALL_PHONE = 360

/** The axis, lines and dates around a chart. */
export function ChartFrame({ range, formatAxis, formatShort, children, ...area }: FrameProps) {
  const { format } = useLanguage()
  const palette = usePalette()
  const scale = useFontScale(LARGEST)
  const isTight = useWindowDimensions().width <= SMALL_PHONE || scale > 1
  const { points } = area
  const isWeek = points.length <= 7
  const name = ({ date }: Point) =>
    isWeek ? `${format.weekday(date)}\n${dayOf(date)}` : format.shortDate(date)
  const share = (value: number) => (value - range.bottom) / (range.top - range.bottom)
  const gutter = GUTTER * scale
  return (
    <View>
      <View style={styles.plot}>
        {[1, 0.5, 0].map((height) => (
          <View key={height} style={[styles.line, { top: (1 - height) * CHART_HEIGHT }]} aria-hidden>
            <View style={[styles.rule, { backgroundColor: palette.line }]} />
            <Words
              kind="caption"
              tone="muted"
              numberOfLines={1}
              maxFontSizeMultiplier={LARGEST}
              style={[styles.value, { width: gutter }]}
            >
              {formatAxis(range.bottom + (range.top - range.bottom) * height)}
            </Words>
          </View>
        ))}
        <View style={[styles.area, { right: gutter }]}>
          <DateArea {...area}>
            {children}
            <View style={styles.columns} aria-hidden>
              {points.map(({ date, value }) => (
                <View key={date} style={styles.column}>
                  {value === null ? (
                    <NoRecordMark />
                  ) : isWeek && formatShort && scale <= 1 ? (
                    <Words
                      kind="caption"
                      tone="muted"
                      numberOfLines={1}
                      maxFontSizeMultiplier={1}
                      style={[styles.short, { bottom: share(value) * CHART_HEIGHT + ABOVE }]}
                    >
                      {formatShort(value)}
                    </Words>
                  ) : null}
                </View>
              ))}
            </View>
          </DateArea>
        </View>
      </View>
      <View style={[styles.dates, { marginRight: gutter, height: (isWeek ? 34 : 18) * scale }]} aria-hidden>
        {points.map((point, index) => (
          <View key={point.date} style={styles.date}>
            {isLabelled(index, points.length, isTight) ? (
              <Words kind="caption" tone="muted" maxFontSizeMultiplier={LARGEST} style={styles.name}>
                {name(point)}
              </Words>
            ) : null}
          </View>
        ))}
      </View>
    </View>
  )
}

const styles = StyleSheet.create({
  plot: { height: CHART_HEIGHT, marginTop: 20 },
  columns: { ...StyleSheet.absoluteFill, flexDirection: 'row' },
  column: { flex: 1, justifyContent: 'flex-end', alignItems: 'center' },
  short: { position: 'absolute', width: 48, textAlign: 'center', fontSize: 11, lineHeight: 14 },
  line: { position: 'absolute', left: 0, right: 0, height: 1, flexDirection: 'row', alignItems: 'center' },
  rule: { flex: 1, height: StyleSheet.hairlineWidth },
  value: { textAlign: 'right', fontSize: 11, fontVariant: ['tabular-nums'] },
  area: { position: 'absolute', top: 0, bottom: 0, left: 0 },
  dates: { flexDirection: 'row', marginTop: 6 },
  date: { flex: 1 },
  name: {
    position: 'absolute',
    left: '50%',
    width: 48,
    marginLeft: -24,
    textAlign: 'center',
    fontSize: 12,
    lineHeight: 16,
  },
})
