import type { ReactNode } from 'react'
import { StyleSheet, View } from 'react-native'
import { Words } from './words'

interface FigureProps {
  label: string
  value: string
  /** A small control beside it. */
  action?: ReactNode
}

/** A figure with its label. Screen readers read them out together. */
export const Figure = ({ label, value, action }: FigureProps) => (
  <View style={styles.beside}>
    <View accessible accessibilityLabel={`${label}: ${value}`} style={styles.figure}>
      <Words kind="caption" tone="muted">
        {label}
      </Words>
      <Words kind="heading" style={styles.value}>
        {value}
      </Words>
    </View>
    {action}
  </View>
)

const styles = StyleSheet.create({
  beside: { flexDirection: 'row', flexGrow: 1, maxWidth: '100%', gap: 4 },
  figure: { flexShrink: 1, gap: 2 },
  value: { fontSize: 20, lineHeight: 28, fontVariant: ['tabular-nums'] },
})
