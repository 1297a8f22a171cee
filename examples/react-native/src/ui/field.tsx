import { useState } from 'react'
import { StyleSheet, TextInput, View } from 'react-native'
import type { TextInputProps } from 'react-native'
import { usePalette } from '../theme/use-palette'
import { Words } from './words'

export interface FieldProps extends Omit<TextInputProps, 'style' | 'onChangeText'> {
  label: string
  onChangeText: (text: string) => void
  hint?: string | undefined
  fault?: string | undefined
  /** For what is long and has no spaces. */
  isSmall?: boolean
}

/** A labelled text field; what is wrong with it is read out. */
export function Field({ label, hint, fault, isSmall = false, onFocus, onBlur, ...input }: FieldProps) {
  const palette = usePalette()
  const [isFocused, setFocused] = useState(false)
  const border = fault ? palette.danger : isFocused ? palette.accent : palette.line
  const below = fault ?? hint
  return (
    <View style={styles.field}>
      <Words kind="label" tone="muted">
        {label}
      </Words>
      <TextInput
        accessibilityLabel={label}
        accessibilityHint={below}
        placeholderTextColor={palette.muted}
        selectionColor={palette.accent}
        {...input}
        onFocus={(event) => {
          setFocused(true)
          onFocus?.(event)
        }}
        onBlur={(event) => {
          setFocused(false)
          onBlur?.(event)
        }}
        style={[
          styles.input,
          input.multiline ? styles.tall : null,
          isSmall ? styles.small : null,
          { borderColor: border, backgroundColor: palette.surface, color: palette.ink },
        ]}
      />
      {below ? (
        <Words
          kind="caption"
          tone={fault ? 'danger' : 'muted'}
          accessibilityLiveRegion={fault ? 'polite' : 'none'}
        >
          {below}
        </Words>
      ) : null}
    </View>
  )
}

const styles = StyleSheet.create({
  field: { gap: 6 },
  input: {
    minHeight: 50,
    borderWidth: 1.5,
    borderRadius: 12,
    paddingHorizontal: 14,
    paddingVertical: 12,
    fontSize: 16,
    outlineStyle: 'solid',
    outlineWidth: 0,
  },
  small: { fontSize: 13 },
  tall: { minHeight: 120, textAlignVertical: 'top', lineHeight: 24 },
})
