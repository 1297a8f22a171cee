import type { ReactNode } from 'react'
import { StyleSheet, useWindowDimensions, View } from 'react-native'

/** The width of a window, in points, from which a page has two columns. */
const WIDE = 700

export const useIsWide = (): boolean => useWindowDimensions().width >= WIDE

/** Two columns on a tablet; on a phone, the second below the first. */
export function Columns({ children: [first, second] }: { children: [ReactNode, ReactNode] }) {
  const isWide = useIsWide()
  const column = isWide ? styles.column : styles.one
  return (
    <View style={isWide ? styles.columns : styles.one}>
      <View style={column}>{first}</View>
      <View style={column}>{second}</View>
    </View>
  )
}

const styles = StyleSheet.create({
  columns: { flexDirection: 'row', alignItems: 'flex-start', gap: 16 },
  column: { flex: 1, minWidth: 0, gap: 16 },
  one: { gap: 16 },
})
