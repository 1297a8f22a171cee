import { StyleSheet, View } from 'react-native'
import { usePalette } from '../theme/use-palette'

/** A dot for a treatment, a square for a note: the shape tells them apart as well as the colour. */
export function Mark({ kind }: { kind: 'treatment' | 'note' }) {
  const palette = usePalette()
  return kind === 'treatment' ? (
    <View style={[styles.mark, styles.round, { backgroundColor: palette.accent }]} />
  ) : (
    <View style={[styles.mark, { backgroundColor: palette.note }]} />
  )
}

const styles = StyleSheet.create({
  mark: { width: 6, height: 6, borderRadius: 1 },
  round: { borderRadius: 3 },
})
