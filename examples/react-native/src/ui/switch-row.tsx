import { StyleSheet, Switch, View } from 'react-native'
import { usePalette } from '../theme/use-palette'
import { RowWords } from './row-words'

interface SwitchRowProps {
  label: string
  hint?: string | undefined
  value: boolean
  onChange: (value: boolean) => void
  isDisabled?: boolean
}

export function SwitchRow({ label, hint, value, onChange, isDisabled = false }: SwitchRowProps) {
  const palette = usePalette()
  const thumb = value ? palette.onAccent : palette.thumb
  return (
    <View style={styles.row}>
      <RowWords label={label} hint={hint} />
      <Switch
        accessibilityLabel={label}
        accessibilityHint={hint}
        value={value}
        onValueChange={onChange}
        disabled={isDisabled}
        trackColor={{ false: palette.line, true: palette.accent }}
        thumbColor={thumb}
        ios_backgroundColor={palette.line}
        {...webThumb(palette.onAccent)}
      />
    </View>
  )
}

/** On the web, the thumb of a switch that is on has a colour of its own. */
const webThumb = (colour: string) => ({ activeThumbColor: colour })

const styles = StyleSheet.create({
  row: { flexDirection: 'row', alignItems: 'center', gap: 16, minHeight: 44 },
})
