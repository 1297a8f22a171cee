import { StyleSheet, View } from 'react-native'
import { usePalette } from '../theme/use-palette'
import type { AxisChartProps } from './chart-frame'
import { ChartFrame } from './chart-frame'
import { axisTop } from './series'

/** A bar for each date with data. */
export function BarChart({ unit, ...frame }: AxisChartProps) {
  const palette = usePalette()
  const { points, chosen } = frame
  const top = axisTop(points, unit)
  return (
    <ChartFrame range={{ bottom: 0, top }} {...frame}>
      <View style={styles.columns}>
        {points.map(({ date, value }, index) => (
          <View key={date} style={styles.column}>
            {value === null ? null : (
              <View
                style={[
                  points.length > 7 ? styles.thin : styles.thick,
                  {
                    height: `${(value / top) * 100}%`,
                    backgroundColor: palette.accent,
                    opacity: chosen === undefined || index === chosen ? 1 : 0.4,
                  },
                ]}
              />
            )}
          </View>
        ))}
      </View>
    </ChartFrame>
  )
}

const styles = StyleSheet.create({
  columns: { ...StyleSheet.absoluteFill, flexDirection: 'row' },
  column: { flex: 1, justifyContent: 'flex-end', alignItems: 'center' },
  thick: { width: '46%', maxWidth: 26, minHeight: 3, borderTopLeftRadius: 5, borderTopRightRadius: 5 },
  thin: { width: '64%', minHeight: 3, borderTopLeftRadius: 2, borderTopRightRadius: 2 },
})
