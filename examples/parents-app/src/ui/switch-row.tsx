import { Pressable, StyleSheet, Switch, View } from 'react-native'
import { usePalette } from '../theme/use-palette'
import { useFontScale } from './font-scale'
import { onSpace } from './on-space'
import { RowWords } from './row-words'

interface SwitchRowProps {
  label: string
  hint?: string | undefined
  value: boolean
  onChange: (value: boolean) => void
  isDisabled?: boolean
}

/** The text size from which long words need the whole width. */
const LARGE = 1.5

/** A switch with its label. The whole row reacts to touch. */
export function SwitchRow({ label, hint, value, onChange, isDisabled = false }: SwitchRowProps) {
  const palette = usePalette()
  const isLarge = useFontScale() >= LARGE
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
      style={isLarge ? styles.stack : styles.row}
    >
      <View style={isLarge ? styles.whole : styles.beside}>
        <RowWords label={label} hint={hint} />
      </View>
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

/** On the web, the colour of the thumb of a switch that is on is a separate property. */
const webThumb = (colour: string) => ({ activeThumbColor: colour })

/** The web's attribute for elements that neither pointer nor keyboard can reach. */
const inert = { inert: true }

const styles = StyleSheet.create({
  row: { flexDirection: 'row', alignItems: 'center', gap: 16, minHeight: 44 },
  stack: { gap: 6 },
  beside: { flex: 1, flexDirection: 'row' },
  whole: { flexDirection: 'row' },
})
