import { StyleSheet, View } from 'react-native'
import { Words } from './words'

/** A figure with its label. Screen readers read them out together. */
export const Figure = ({ label, value }: { label: string; value: string }) => (
  <View accessible accessibilityLabel={`${label}: ${value}`} style={styles.figure}>
    <Words kind="caption" tone="muted">
      {label}
    </Words>
    <Words kind="heading" style={styles.value}>
      {value}
    </Words>
  </View>
)

const styles = StyleSheet.create({
  figure: { flexGrow: 1, maxWidth: '100%', gap: 2 },
  value: { fontSize: 20, lineHeight: 28, fontVariant: ['tabular-nums'] },
})
