import { Pressable, StyleSheet } from 'react-native'
import { usePalette } from '../theme/use-palette'
import { Icon } from './icon'
import { RowWords } from './row-words'

interface LinkRowProps {
  label: string
  hint?: string | undefined
  onPress: () => void
}

/** A row that opens another screen. */
export function LinkRow({ label, hint, onPress }: LinkRowProps) {
  const palette = usePalette()
  return (
    <Pressable
      accessibilityRole="button"
      accessibilityLabel={hint ? `${label}, ${hint}` : label}
      onPress={onPress}
      style={({ pressed }) => [styles.row, { opacity: pressed ? 0.6 : 1 }]}
    >
      <RowWords label={label} hint={hint} />
      <Icon name="forward" color={palette.muted} size={20} />
    </Pressable>
  )
}

const styles = StyleSheet.create({
  row: { flexDirection: 'row', alignItems: 'center', gap: 12, minHeight: 44 },
})
