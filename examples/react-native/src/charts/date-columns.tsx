import type { ReactNode } from 'react'
import { Pressable, StyleSheet, View } from 'react-native'
import type { ChartProps } from './chart-frame'
import type { Point } from './series'

interface DateColumnsProps extends Pick<ChartProps, 'points' | 'chosen' | 'onChoose' | 'describe'> {
  /** What stands in a date's column, on the axis. */
  draw?: (point: Point, index: number) => ReactNode
}

/** A column for each date of a chart; touching one chooses its date, or leaves it. */
export const DateColumns = ({ points, chosen, onChoose, describe, draw }: DateColumnsProps) => (
  <View style={styles.columns}>
    {points.map((point, index) => (
      <Pressable
        key={point.date}
        accessibilityRole="button"
        accessibilityLabel={describe(point)}
        aria-pressed={index === chosen}
        onPress={() => onChoose(index === chosen ? undefined : index)}
        style={styles.column}
      >
        {draw?.(point, index)}
      </Pressable>
    ))}
  </View>
)

const styles = StyleSheet.create({
  columns: { ...StyleSheet.absoluteFill, flexDirection: 'row' },
  column: { flex: 1, justifyContent: 'flex-end', alignItems: 'center' },
})
