import { StyleSheet, View } from 'react-native'
import { usePalette } from '../theme/use-palette'
import type { ChartProps } from './chart-frame'
import { ChartFrame } from './chart-frame'
import { DateColumns } from './date-columns'
import { axisTop } from './series'

/** A bar for each date. */
export function BarChart({ points, unit, chosen, onChoose, describe, ...frame }: ChartProps) {
  const palette = usePalette()
  const top = axisTop(points, unit)
  return (
    <ChartFrame points={points} top={top} {...frame}>
      <DateColumns
        {...{ points, chosen, onChoose, describe }}
        draw={({ value }, index) => (
          <View
            style={[
              points.length > 7 ? styles.thin : styles.thick,
              {
                height: `${((value ?? 0) / top) * 100}%`,
                minHeight: value === null ? 0 : 3,
                backgroundColor: palette.accent,
                opacity: chosen === undefined || index === chosen ? 1 : 0.4,
              },
            ]}
          />
        )}
      />
    </ChartFrame>
  )
}

const styles = StyleSheet.create({
  thick: { width: '46%', maxWidth: 26, borderTopLeftRadius: 5, borderTopRightRadius: 5 },
  thin: { width: '64%', borderTopLeftRadius: 2, borderTopRightRadius: 2 },
})
