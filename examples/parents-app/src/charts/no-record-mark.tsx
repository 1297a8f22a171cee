import { StyleSheet, View } from 'react-native'
import { usePalette } from '../theme/use-palette'

/** Stands in a chart where a date has no record, which is not the same as 0. */
export function NoRecordMark() {
  const palette = usePalette()
  return <View style={[styles.mark, { borderColor: palette.edge, backgroundColor: palette.surface }]} />
}

const styles = StyleSheet.create({
  mark: { width: '50%', maxWidth: 8, height: 5, borderWidth: 1, borderRadius: 1, marginBottom: 1 },
})
