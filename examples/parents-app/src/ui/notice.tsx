import { StyleSheet, View } from 'react-native'
import { usePalette } from '../theme/use-palette'
import { useReveal } from './reveal'
import { Words } from './words'

/** A message within a screen. Screen readers read it out when it appears. */
export function Notice({ text, kind = 'info' }: { text: string; kind?: 'info' | 'danger' }) {
  const palette = usePalette()
  const isDanger = kind === 'danger'
  const view = useReveal(isDanger)
  return (
    <View
      ref={view}
      role={isDanger ? 'alert' : 'status'}
      accessibilityLiveRegion="polite"
      style={[styles.notice, { backgroundColor: isDanger ? palette.dangerSoft : palette.soft }]}
    >
      <Words kind="label" tone={isDanger ? 'danger' : 'accent'}>
        {text}
      </Words>
    </View>
  )
}

const styles = StyleSheet.create({ notice: { borderRadius: 12, paddingHorizontal: 14, paddingVertical: 12 } })
