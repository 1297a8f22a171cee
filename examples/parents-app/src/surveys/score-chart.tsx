import { useState } from 'react'
import { StyleSheet, View } from 'react-native'
import Svg, { Circle, Polyline } from 'react-native-svg'
import { usePalette } from '../theme/use-palette'
import { Words } from '../ui/words'

interface ScoreChartProps {
  /** Ascending by date. */
  values: readonly number[]
  /** The dates below the values. */
  dates: readonly string[]
}

const HEIGHT = 56
const RADIUS = 4
/** Larger dates would lie over each other on a small phone. */
const LARGEST = 1

/** The scores of a few surveys as a line from 0, with their values and dates. The text beside it says the same. */
export function ScoreChart({ values, dates }: ScoreChartProps) {
  const palette = usePalette()
  const [width, setWidth] = useState(0)
  const top = Math.max(1, ...values)
  const x = (index: number) => ((index + 0.5) / values.length) * width
  const y = (value: number) => RADIUS + (1 - value / top) * (HEIGHT - 2 * RADIUS)
  return (
    <View aria-hidden importantForAccessibility="no-hide-descendants">
      <View style={styles.row}>
        {values.map((value, index) => (
          <Words
            key={index}
            kind="caption"
            maxFontSizeMultiplier={LARGEST}
            numberOfLines={1}
            style={styles.label}
          >
            {value}
          </Words>
        ))}
      </View>
      <View style={styles.plot} onLayout={({ nativeEvent }) => setWidth(nativeEvent.layout.width)}>
        {width > 0 ? (
          <Svg width={width} height={HEIGHT}>
            <Polyline
              points={values.map((value, index) => `${x(index)},${y(value)}`).join(' ')}
              fill="none"
              stroke={palette.accent}
              strokeWidth={2}
            />
            {values.map((value, index) => (
              <Circle key={index} cx={x(index)} cy={y(value)} r={RADIUS} fill={palette.accent} />
            ))}
          </Svg>
        ) : null}
      </View>
      <View style={[styles.row, styles.dates, { borderColor: palette.line }]}>
        {dates.map((date, index) => (
          <Words
            key={index}
            kind="caption"
            tone="muted"
            maxFontSizeMultiplier={LARGEST}
            numberOfLines={1}
            style={styles.label}
          >
            {date}
          </Words>
        ))}
      </View>
    </View>
  )
}

const styles = StyleSheet.create({
  plot: { height: HEIGHT },
  row: { flexDirection: 'row' },
  dates: { borderTopWidth: StyleSheet.hairlineWidth, paddingTop: 4 },
  label: { flex: 1, textAlign: 'center', fontSize: 12, fontVariant: ['tabular-nums'] },
})
