import { use, useId, useState } from 'react'
import { StyleSheet, TextInput, View } from 'react-native'
import type { TextInputProps } from 'react-native'
import { usePalette } from '../theme/use-palette'
import { FormContext, useIssueRefs } from './first-issue'
import { enlargedTextStyle, useFontScale } from './font-scale'
import { Words } from './words'

export interface FieldProps extends Omit<TextInputProps, 'style' | 'onChangeText'> {
  label: string
  onChangeText: (text: string) => void
  hint?: string | undefined
  issue?: string | undefined
  /** For long values without spaces, which continue on the next line. */
  isLong?: boolean
  /** The room at the end of the label, which something else takes. */
  labelEnd?: number
}

/** A labelled text field. Screen readers read out its issue; the hint stays visible beside the issue. */
export function Field(props: FieldProps) {
  const {
    label,
    hint,
    issue,
    isLong = false,
    labelEnd = 0,
    onChangeText,
    onFocus,
    onBlur,
    onSubmitEditing,
    ...input
  } = props
  const palette = usePalette()
  const scale = useFontScale()
  const { tried } = use(FormContext)
  const refs = useIssueRefs(label, issue)
  const id = useId()
  const [isFocused, setFocused] = useState(false)
  const border = issue ? palette.danger : isFocused ? palette.accent : palette.edge
  const help = hint === issue ? undefined : hint
  return (
    <View ref={refs.view}>
      <Words kind="label" tone="muted" style={[styles.label, { marginRight: labelEnd }]}>
        {label}
      </Words>
      <TextInput
        ref={refs.input}
        accessibilityLabel={label}
        accessibilityHint={[issue, help].filter(Boolean).join('. ')}
        {...webHelp(id, Boolean(issue))}
        placeholderTextColor={palette.muted}
        selectionColor={palette.accent}
        {...(isLong ? { ...wrapped, numberOfLines: Math.ceil(1.25 * scale * scale) } : {})}
        {...input}
        onChangeText={(text) => onChangeText(isLong ? text.replace(/\s/g, '') : text)}
        onSubmitEditing={(event) => {
          if (!onSubmitEditing) return
          onSubmitEditing(event)
          tried()
        }}
        onFocus={(event) => {
          setFocused(true)
          onFocus?.(event)
        }}
        onBlur={(event) => {
          setFocused(false)
          onBlur?.(event)
        }}
        style={enlargedTextStyle(
          [
            styles.input,
            input.multiline ? [styles.tall, { minHeight: TALL * scale }] : null,
            isLong ? anywhere : null,
            { borderColor: border, backgroundColor: palette.surface, color: palette.ink },
          ],
          scale,
        )}
      />
      <View nativeID={id}>
        <View accessibilityLiveRegion="polite">
          {issue ? (
            <Words kind="caption" tone="danger" style={styles.below}>
              {issue}
            </Words>
          ) : null}
        </View>
        {help ? (
          <Words kind="caption" tone="muted" style={styles.below}>
            {help}
          </Words>
        ) : null}
      </View>
    </View>
  )
}

/** The height of a field for several lines, at the usual text size. */
const TALL = 120

const wrapped = { multiline: true, submitBehavior: 'blurAndSubmit' } as const
// Lines that end at hyphens would be more than there is room for.
const anywhere = { flexShrink: 1, wordBreak: 'break-all' }

/** The equivalent of `accessibilityHint` on the web. */
const webHelp = (id: string, isInvalid: boolean) => ({ 'aria-describedby': id, 'aria-invalid': isInvalid })

const styles = StyleSheet.create({
  label: { marginBottom: 6 },
  input: {
    minHeight: 50,
    borderWidth: 1.5,
    borderRadius: 12,
    paddingHorizontal: 14,
    paddingVertical: 12,
    fontSize: 16,
  },
  tall: { textAlignVertical: 'top', lineHeight: 24 },
  below: { marginTop: 6 },
})
