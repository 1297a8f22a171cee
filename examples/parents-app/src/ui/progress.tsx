import { ActivityIndicator, StyleSheet, View } from 'react-native'
import { usePalette } from '../theme/use-palette'
import { Words } from './words'

/** Shows that something takes a while, and its progress. */
export function Progress({ label, detail }: { label: string; detail?: string | undefined }) {
  const palette = usePalette()
  return (
    <View role="status" accessibilityLabel={label} style={styles.row}>
      <ActivityIndicator color={palette.accent} aria-hidden />
      <Words style={styles.label}>{label}</Words>
      {detail ? (
        <Words kind="label" tone="muted">
          {detail}
        </Words>
      ) : null}
    </View>
  )
}

const styles = StyleSheet.create({
  row: { flexDirection: 'row', alignItems: 'center', gap: 12, minHeight: 50 },
  label: { flex: 1 },
})
