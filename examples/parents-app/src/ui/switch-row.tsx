import { Pressable, StyleSheet, Switch, View } from 'react-native'
import { usePalette } from '../theme/use-palette'
import { onSpace } from './on-space'
import { RowWords } from './row-words'

interface SwitchRowProps {
  label: string
  hint?: string | undefined
  value: boolean
  onChange: (value: boolean) => void
  isDisabled?: boolean
}

/** A switch with what it is about; all of the row can be touched. */
export function SwitchRow({ label, hint, value, onChange, isDisabled = false }: SwitchRowProps) {
  const palette = usePalette()
  const toggle = () => onChange(!value)
  return (
    <Pressable
      accessibilityRole="switch"
      accessibilityLabel={label}
      accessibilityHint={hint}
      aria-checked={value}
      disabled={isDisabled}
      onPress={toggle}
      {...onSpace(() => isDisabled || toggle())}
      style={styles.row}
    >
      <RowWords label={label} hint={hint} />
      <View aria-hidden importantForAccessibility="no-hide-descendants" pointerEvents="none" {...inert}>
        <Switch
          accessibilityLabel={label}
          value={value}
          disabled={isDisabled}
          trackColor={{ false: palette.edge, true: palette.accent }}
          thumbColor={value ? palette.onAccent : palette.thumb}
          ios_backgroundColor={palette.edge}
          {...webThumb(palette.onAccent)}
        />
      </View>
    </Pressable>
  )
}

/** On the web, the thumb of a switch that is on has a colour of its own. */
const webThumb = (colour: string) => ({ activeThumbColor: colour })

/** The web's word for what neither pointer nor keyboard reaches. */
const inert = { inert: true }

const styles = StyleSheet.create({
  row: { flexDirection: 'row', alignItems: 'center', gap: 16, minHeight: 44 },
})
