import { Pressable, StyleSheet, View } from 'react-native'
import { usePalette } from '../theme/use-palette'
import { Words } from './words'

interface ChoiceProps<Value extends string | number> {
  label: string
  options: readonly (readonly [Value, string])[]
  value: Value
  onChange: (value: Value) => void
  isLabelShown?: boolean
}

/** One of a few, all of them visible. */
export function Choice<Value extends string | number>({
  label,
  options,
  value,
  onChange,
  isLabelShown = true,
}: ChoiceProps<Value>) {
  const palette = usePalette()
  return (
    <View style={styles.choice}>
      {isLabelShown ? (
        <Words kind="label" tone="muted">
          {label}
        </Words>
      ) : null}
      <View
        accessibilityRole="radiogroup"
        accessibilityLabel={label}
        style={[styles.track, { backgroundColor: palette.sunken }]}
      >
        {options.map(([option, name]) => {
          const isChosen = option === value
          return (
            <Pressable
              key={option}
              accessibilityRole="radio"
              accessibilityLabel={name}
              aria-checked={isChosen}
              onPress={() => onChange(option)}
              style={[styles.option, isChosen ? { backgroundColor: palette.surface } : null]}
            >
              <Words kind="label" tone={isChosen ? 'ink' : 'muted'} style={styles.name}>
                {name}
              </Words>
            </Pressable>
          )
        })}
      </View>
    </View>
  )
}

const styles = StyleSheet.create({
  choice: { gap: 6 },
  track: { flexDirection: 'row', borderRadius: 12, padding: 4, gap: 4 },
  option: {
    flexGrow: 1,
    flexBasis: 0,
    minHeight: 44,
    borderRadius: 9,
    paddingHorizontal: 6,
    alignItems: 'center',
    justifyContent: 'center',
  },
  name: { textAlign: 'center' },
})
