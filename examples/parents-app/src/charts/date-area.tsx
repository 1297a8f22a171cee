import { useRef } from 'react'
import type { ReactNode } from 'react'
import { Platform, StyleSheet, View } from 'react-native'
import type { GestureResponderEvent } from 'react-native'
import type { ChartProps } from './chart-frame'
import { nearestIndex } from './series'

interface DateAreaProps extends Pick<ChartProps, 'points' | 'label' | 'describe' | 'chosen' | 'onChoose'> {
  children: ReactNode
}

/** A finger that moves farther than this, in points, is not a tap. */
const STILL = 8

/**
 * The area in which a date of a chart is chosen, by a tap or by moving across the dates. A tap on the chosen date clears the
 * choice. For screen readers and keyboards, the area is one slider whose value is the chosen date, or the newest.
 */
export function DateArea({ points, label, describe, chosen, onChoose, children }: DateAreaProps) {
  const width = useRef(0)
  const touch = useRef({ pageX: 0, pageY: 0, x: 0, isMoving: false })
  const at = (event: GestureResponderEvent) => {
    const { pageX, x } = touch.current
    return nearestIndex(x + event.nativeEvent.pageX - pageX, width.current, points.length)
  }
  const now = chosen ?? points.length - 1
  const point = points[now]
  const go = (to: number) => onChoose(Math.min(points.length - 1, Math.max(0, to)))
  return (
    <View
      accessible
      accessibilityRole="adjustable"
      accessibilityLabel={label}
      {...assist(point ? describe(point) : '', now, points.length, go)}
      onLayout={({ nativeEvent }) => (width.current = nativeEvent.layout.width)}
      // A vertical movement still scrolls the page, which then takes over the touch.
      onStartShouldSetResponder={() => true}
      onResponderTerminationRequest={() => !touch.current.isMoving}
      onResponderGrant={({ nativeEvent: { pageX, pageY, locationX } }) => {
        touch.current = { pageX, pageY, x: locationX, isMoving: false }
      }}
      onResponderMove={(event) => {
        const { pageX, pageY } = touch.current
        const [across, down] = [event.nativeEvent.pageX - pageX, event.nativeEvent.pageY - pageY].map(
          Math.abs,
        )
        if (across !== undefined && down !== undefined && across > STILL && across > down)
          touch.current.isMoving = true
        if (touch.current.isMoving) onChoose(at(event))
      }}
      onResponderRelease={(event) => {
        if (touch.current.isMoving) return
        const index = at(event)
        onChoose(index === chosen ? undefined : index)
      }}
      style={StyleSheet.absoluteFill}
    >
      <View pointerEvents="none" style={StyleSheet.absoluteFill}>
        {children}
      </View>
    </View>
  )
}

/** How screen readers and keyboards step through the dates, on phones and on the web. */
const assist = (text: string, now: number, count: number, go: (to: number) => void) =>
  Platform.OS === 'web'
    ? {
        tabIndex: 0 as const,
        'aria-valuetext': text,
        'aria-valuemin': 0,
        'aria-valuemax': count - 1,
        'aria-valuenow': now,
        onKeyDown: (event: { key: string; preventDefault: () => void }) => {
          const to = { ArrowLeft: now - 1, ArrowDown: now - 1, ArrowRight: now + 1, ArrowUp: now + 1 }
          const ends = { Home: 0, End: count - 1 }
          const index = new Map(Object.entries({ ...to, ...ends })).get(event.key)
          if (index === undefined) return
          event.preventDefault()
          go(index)
        },
      }
    : {
        accessibilityValue: { text },
        accessibilityActions: [{ name: 'increment' }, { name: 'decrement' }],
        onAccessibilityAction: ({ nativeEvent }: { nativeEvent: { actionName: string } }) =>
          go(nativeEvent.actionName === 'increment' ? now + 1 : now - 1),
      }
