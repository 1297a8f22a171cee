import { useState } from 'react'
import { StyleSheet, View } from 'react-native'
import Svg, { Circle, Polyline } from 'react-native-svg'
import { usePalette } from '../theme/use-palette'
import { CHART_HEIGHT, ChartFrame } from './chart-frame'
import type { AxisChartProps, ChartProps, FrameProps } from './chart-frame'
import { axisTop, closeRange, lineSegments } from './series'

/** A line through the dates with data, on an axis that starts at 0. */
export const LineChart = ({ unit, ...frame }: AxisChartProps) => (
  <Line range={{ bottom: 0, top: axisTop(frame.points, unit) }} {...frame} />
)

/** The same on an axis that starts near the lowest value. */
export const CloseLineChart = (frame: ChartProps) => <Line range={closeRange(frame.points)} {...frame} />

function Line(frame: Omit<FrameProps, 'children'>) {
  const palette = usePalette()
  const [width, setWidth] = useState(0)
  const { range, points, chosen } = frame
  const x = (index: number) => ((index + 0.5) / points.length) * width
  const y = (value: number) => ((range.top - value) / (range.top - range.bottom)) * CHART_HEIGHT
  // Over a quarter, dots would run into each other.
  const radius = points.length > 31 ? 0 : points.length > 7 ? 2.5 : 4
  const lines = lineSegments(points)
  return (
    <ChartFrame {...frame}>
      <View
        style={StyleSheet.absoluteFill}
        onLayout={({ nativeEvent }) => setWidth(nativeEvent.layout.width)}
        aria-hidden
      >
        {width > 0 ? (
          <Svg width={width} height={CHART_HEIGHT} style={styles.svg}>
            {lines.map((run) => (
              <Polyline
                key={run[0]?.index}
                points={run.map(({ index, value }) => `${x(index)},${y(value)}`).join(' ')}
                fill="none"
                stroke={palette.accent}
                strokeWidth={2}
                strokeLinejoin="round"
              />
            ))}
            {lines.flatMap((run) =>
              run.map(({ index, value }) => (
                <Circle
                  key={index}
                  cx={x(index)}
                  cy={y(value)}
                  // A single date has no line.
                  r={index === chosen ? radius + 2.5 : run.length === 1 ? Math.max(radius, 1.5) : radius}
                  fill={palette.accent}
                  stroke={palette.surface}
                  strokeWidth={points.length > 7 ? 0 : 1}
                />
              )),
            )}
          </Svg>
        ) : null}
      </View>
    </ChartFrame>
  )
}

const styles = StyleSheet.create({ svg: { overflow: 'visible' } })
