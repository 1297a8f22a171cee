import type { ReactNode } from 'react'
import { StyleSheet, View } from 'react-native'
import { useLanguage } from '../i18n/language'
import { usePalette } from '../theme/use-palette'
import { dayOf } from '../time/dates'
import { Words } from '../ui/words'
import { isLabelled } from './series'
import type { Point } from './series'

export interface ChartProps {
  points: readonly Point[]
  /** What a screen reader says of the chart as a whole. */
  label: string
  /** What it says of one date. */
  describe: (point: Point) => string
  /** The date that is looked at more closely. */
  chosen: number | undefined
  onChoose: (index: number | undefined) => void
  /** What the axis counts in. */
  unit: number
  formatAxis: (value: number) => string
}

interface FrameProps {
  points: readonly Point[]
  label: string
  top: number
  formatAxis: (value: number) => string
  children: ReactNode
}

export const CHART_HEIGHT = 140
const GUTTER = 44

/** Axis, lines and dates around what a chart draws. */
export function ChartFrame({ points, label, top, formatAxis, children }: FrameProps) {
  const { format } = useLanguage()
  const palette = usePalette()
  const name = ({ date }: Point) => (points.length > 7 ? String(dayOf(date)) : format.weekday(date))
  return (
    <View role="group" accessibilityLabel={label}>
      <View style={styles.plot}>
        {[1, 0.5, 0].map((share) => (
          <View key={share} style={[styles.line, { top: (1 - share) * CHART_HEIGHT }]} aria-hidden>
            <View style={[styles.rule, { backgroundColor: palette.line }]} />
            <Words kind="caption" tone="muted" style={styles.value}>
              {formatAxis(top * share)}
            </Words>
          </View>
        ))}
        <View style={styles.area}>{children}</View>
      </View>
      <View style={styles.dates} aria-hidden>
        {points.map((point, index) => (
          <View key={point.date} style={styles.date}>
            {isLabelled(index, points.length) ? (
              <Words kind="caption" tone="muted" style={styles.name}>
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
  plot: { height: CHART_HEIGHT, marginTop: 8 },
  line: { position: 'absolute', left: 0, right: 0, height: 1, flexDirection: 'row', alignItems: 'center' },
  rule: { flex: 1, height: StyleSheet.hairlineWidth },
  value: { width: GUTTER, textAlign: 'right', fontSize: 11, fontVariant: ['tabular-nums'] },
  area: { position: 'absolute', top: 0, bottom: 0, left: 0, right: GUTTER },
  dates: { flexDirection: 'row', marginRight: GUTTER, marginTop: 6, height: 18 },
  date: { flex: 1 },
  name: { position: 'absolute', left: '50%', width: 28, marginLeft: -14, textAlign: 'center', fontSize: 12 },
})
