import { StyleSheet, View } from 'react-native'
import { usePalette } from '../theme/use-palette'

/** How much is done, from 0 to 1. */
export function ProgressBar({ label, done }: { label: string; done: number }) {
  const palette = usePalette()
  const percent = Math.floor(100 * Math.min(Math.max(done, 0), 1))
  return (
    <View
      accessible
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      style={[styles.track, { backgroundColor: palette.sunken, borderColor: palette.edge }]}
    >
      <View style={[styles.done, { width: `${percent}%`, backgroundColor: palette.accent }]} />
    </View>
  )
}

const styles = StyleSheet.create({
  track: { height: 12, borderRadius: 6, borderWidth: 1, overflow: 'hidden' },
  done: { height: '100%' },
})
