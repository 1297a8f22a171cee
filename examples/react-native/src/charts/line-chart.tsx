import { useState } from 'react'
import { StyleSheet, View } from 'react-native'
import Svg, { Circle, Polyline } from 'react-native-svg'
import { usePalette } from '../theme/use-palette'
import { CHART_HEIGHT, ChartFrame } from './chart-frame'
import type { ChartProps } from './chart-frame'
import { DateColumns } from './date-columns'
import { axisTop, runs } from './series'

/** A line through the dates that have data. */
export function LineChart({ points, unit, chosen, onChoose, describe, ...frame }: ChartProps) {
  const palette = usePalette()
  const [width, setWidth] = useState(0)
  const top = axisTop(points, unit)
  const x = (index: number) => ((index + 0.5) / points.length) * width
  const y = (value: number) => CHART_HEIGHT - (value / top) * CHART_HEIGHT
  const radius = points.length > 7 ? 2.5 : 4
  return (
    <ChartFrame points={points} top={top} {...frame}>
      <View
        style={StyleSheet.absoluteFill}
        onLayout={({ nativeEvent }) => setWidth(nativeEvent.layout.width)}
        aria-hidden
      >
        {width > 0 ? (
          <Svg width={width} height={CHART_HEIGHT} style={styles.svg}>
            {runs(points).map((run) => (
              <Polyline
                key={run[0]?.index}
                points={run.map(({ index, value }) => `${x(index)},${y(value)}`).join(' ')}
                fill="none"
                stroke={palette.accent}
                strokeWidth={2}
                strokeLinejoin="round"
              />
            ))}
            {runs(points)
              .flat()
              .map(({ index, value }) => (
                <Circle
                  key={index}
                  cx={x(index)}
                  cy={y(value)}
                  r={index === chosen ? radius + 2.5 : radius}
                  fill={palette.accent}
                  stroke={palette.surface}
                  strokeWidth={points.length > 7 ? 0 : 1}
                />
              ))}
          </Svg>
        ) : null}
      </View>
      <DateColumns {...{ points, chosen, onChoose, describe }} />
    </ChartFrame>
  )
}

const styles = StyleSheet.create({ svg: { overflow: 'visible' } })
