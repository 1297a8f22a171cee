import { useState } from 'react'
import { Pressable, StyleSheet, View } from 'react-native'
import { usePalette } from '../theme/use-palette'
import { columnsFor } from './choice-columns'
import { useFontScale } from './font-scale'
import { onSpace } from './on-space'
import { Words } from './words'

interface ChoiceProps<Value extends string | number> {
  label: string
  options: readonly (readonly [Value, string])[]
  value: Value
  onChange: (value: Value) => void
  isLabelShown?: boolean
}

/** A choice of one option out of a few, all visible. */
export function Choice<Value extends string | number>({
  label,
  options,
  value,
  onChange,
  isLabelShown = true,
}: ChoiceProps<Value>) {
  const palette = usePalette()
  const scale = useFontScale()
  const [width, setWidth] = useState(0)
  const names = options.map(([, name]) => name)
  const columns = width === 0 ? options.length : columnsFor(names, width, scale)
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
        onLayout={({ nativeEvent }) => setWidth(nativeEvent.layout.width)}
        style={[styles.track, { backgroundColor: palette.sunken }]}
      >
        {options.map(([option, name]) => {
          const isChosen = option === value
          const choose = () => onChange(option)
          return (
            <Pressable
              key={option}
              accessibilityRole="radio"
              accessibilityLabel={name}
              aria-checked={isChosen}
              onPress={choose}
              {...onSpace(choose)}
              style={[
                styles.option,
                { flexBasis: `${Math.floor(100 / columns) - 3}%` },
                isChosen ? { backgroundColor: palette.raised, borderColor: palette.accent } : null,
              ]}
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
  track: { flexDirection: 'row', flexWrap: 'wrap', borderRadius: 12, padding: 4, gap: 4 },
  option: {
    flexGrow: 1,
    minHeight: 44,
    borderRadius: 9,
    borderWidth: 1.5,
    borderColor: 'transparent',
    paddingHorizontal: 6,
    paddingVertical: 4,
    alignItems: 'center',
    justifyContent: 'center',
  },
  name: { textAlign: 'center' },
})
