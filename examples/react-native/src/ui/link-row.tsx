import { Pressable, StyleSheet, View } from 'react-native'
import { usePalette } from '../theme/use-palette'
import { Icon } from './icon'
import { Words } from './words'

interface LinkRowProps {
  label: string
  hint?: string | undefined
  onPress: () => void
}

/** A row that leads to another screen. */
export function LinkRow({ label, hint, onPress }: LinkRowProps) {
  const palette = usePalette()
  return (
    <Pressable
      accessibilityRole="button"
      accessibilityLabel={hint ? `${label}, ${hint}` : label}
      onPress={onPress}
      style={({ pressed }) => [styles.row, { opacity: pressed ? 0.6 : 1 }]}
    >
      <View style={styles.words}>
        <Words>{label}</Words>
        {hint ? (
          <Words kind="caption" tone="muted">
            {hint}
          </Words>
        ) : null}
      </View>
      <Icon name="forward" color={palette.muted} size={20} />
    </Pressable>
  )
}

const styles = StyleSheet.create({
  row: { flexDirection: 'row', alignItems: 'center', gap: 12, minHeight: 44 },
  words: { flex: 1, gap: 2 },
})
