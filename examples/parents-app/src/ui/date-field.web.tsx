import { createElement } from 'react'
import { View } from 'react-native'
import { usePalette } from '../theme/use-palette'
import { dateInputStyle } from './date-input-style'
import type { DateFieldProps } from './date-field'
import { useIssueRefs } from './first-issue'
import { useFontScale } from './font-scale'
import { Words } from './words'

/** The font of all other texts on the web. */
const SYSTEM = '-apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, Helvetica, Arial, sans-serif'

/** The largest text size at which a whole date fits on the smallest phone. */
const LARGEST = 1.5

/** A labelled field for a date, with the calendar of the browser. */
export function DateField({ label, value, onChange, earliest, latest, issue }: DateFieldProps) {
  const palette = usePalette()
  const scale = useFontScale(LARGEST)
  const refs = useIssueRefs(label, issue)
  return (
    <View ref={refs.view}>
      <Words kind="label" tone="muted" style={{ marginBottom: 6 }}>
        {label}
      </Words>
      {createElement('input', {
        ref: refs.input,
        type: 'date',
        'aria-label': label,
        'aria-invalid': issue !== undefined,
        value: value ?? '',
        min: earliest,
        max: latest,
        onChange: ({ target }: { target: HTMLInputElement }) => onChange(target.value || undefined),
        style: {
          ...dateInputStyle,
          padding: `${dateInputStyle.paddingVertical}px ${dateInputStyle.paddingHorizontal}px`,
          boxSizing: 'border-box',
          colorScheme: 'light dark',
          // Nothing around the field has a font to inherit. Not `font`, which would come after the size and undo it.
          fontFamily: SYSTEM,
          fontSize: dateInputStyle.fontSize * scale,
          borderStyle: 'solid',
          borderColor: issue ? palette.danger : palette.edge,
          backgroundColor: palette.surface,
          color: palette.ink,
        },
      })}
      {issue ? (
        <Words kind="caption" tone="danger" style={{ marginTop: 6 }}>
          {issue}
        </Words>
      ) : null}
    </View>
  )
}
