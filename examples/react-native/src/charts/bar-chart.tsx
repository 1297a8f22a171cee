import { Pressable, StyleSheet, View } from 'react-native'
import { usePalette } from '../theme/use-palette'
import type { ChartProps } from './chart-frame'
import { ChartFrame } from './chart-frame'
import { axisTop } from './series'

/** A bar for each date; touching one chooses its date. */
export function BarChart({ points, unit, chosen, onChoose, describe, ...frame }: ChartProps) {
  const palette = usePalette()
  const top = axisTop(points, unit)
  return (
    <ChartFrame points={points} top={top} {...frame}>
      <View style={styles.bars}>
        {points.map((point, index) => (
          <Pressable
            key={point.date}
            accessibilityRole="button"
            accessibilityLabel={describe(point)}
            aria-pressed={index === chosen}
            onPress={() => onChoose(index === chosen ? undefined : index)}
            style={styles.column}
          >
            <View
              style={[
                points.length > 7 ? styles.thin : styles.thick,
                {
                  height: `${((point.value ?? 0) / top) * 100}%`,
                  minHeight: point.value === null ? 0 : 3,
                  backgroundColor: palette.accent,
                  opacity: chosen === undefined || index === chosen ? 1 : 0.4,
                },
              ]}
            />
          </Pressable>
        ))}
      </View>
    </ChartFrame>
  )
}

const styles = StyleSheet.create({
  bars: { ...StyleSheet.absoluteFill, flexDirection: 'row' },
  column: { flex: 1, justifyContent: 'flex-end', alignItems: 'center' },
  thick: { width: '46%', maxWidth: 26, borderTopLeftRadius: 5, borderTopRightRadius: 5 },
  thin: { width: '64%', borderTopLeftRadius: 2, borderTopRightRadius: 2 },
})
