import { Pressable, StyleSheet } from 'react-native'
import { usePalette } from '../theme/use-palette'
import { Icon } from './icon'
import type { IconName } from './icon'

interface IconButtonProps {
  icon: IconName
  label: string
  onPress: () => void
  isDisabled?: boolean
}

export function IconButton({ icon, label, onPress, isDisabled = false }: IconButtonProps) {
  const palette = usePalette()
  return (
    <Pressable
      accessibilityRole="button"
      accessibilityLabel={label}
      disabled={isDisabled}
      onPress={onPress}
      style={({ pressed }) => [
        styles.button,
        { backgroundColor: palette.sunken, opacity: isDisabled ? 0.45 : pressed ? 0.7 : 1 },
      ]}
    >
      <Icon name={icon} color={palette.ink} size={20} />
    </Pressable>
  )
}

const styles = StyleSheet.create({
  button: { width: 44, height: 44, borderRadius: 22, alignItems: 'center', justifyContent: 'center' },
})
