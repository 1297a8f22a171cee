import DateTimePicker from '@react-native-community/datetimepicker'
import { useState } from 'react'
import { Platform, Pressable, StyleSheet, View } from 'react-native'
import { useLanguage } from '../i18n/language'
import { usePalette } from '../theme/use-palette'
import { dayOf, monthOf, today, yearOf } from '../time/dates'
import type { CalendarDate } from '../time/dates'
import { dateInputStyle } from './date-input-style'
import { useIssueRefs } from './first-issue'
import { Words } from './words'

export interface DateFieldProps {
  label: string
  value: CalendarDate | undefined
  onChange: (value: CalendarDate | undefined) => void
  earliest: CalendarDate
  /** Without it, any later date may be chosen. */
  latest?: CalendarDate | undefined
  issue?: string | undefined
}

/** Noon of a date where the user is, which is how the platform's picker takes dates. */
const localNoon = (date: CalendarDate) => new Date(yearOf(date), monthOf(date) - 1, dayOf(date), 12)

/** A labelled field for a date, with the picker of the platform. */
export function DateField({ label, value, onChange, earliest, latest, issue }: DateFieldProps) {
  const { language, format } = useLanguage()
  const palette = usePalette()
  const refs = useIssueRefs(label, issue)
  const [isOpen, setOpen] = useState(false)
  const shown = value === undefined ? '' : format.date(value)
  return (
    <View ref={refs.view}>
      <Words kind="label" tone="muted" style={styles.label}>
        {label}
      </Words>
      <Pressable
        accessibilityRole="button"
        accessibilityLabel={[label, shown].filter(Boolean).join(', ')}
        accessibilityHint={issue}
        onPress={() => setOpen(!isOpen)}
        style={[
          dateInputStyle,
          { borderColor: issue ? palette.danger : palette.edge, backgroundColor: palette.surface },
        ]}
      >
        <Words>{shown}</Words>
      </Pressable>
      {isOpen ? (
        <DateTimePicker
          mode="date"
          value={localNoon(value ?? latest ?? today())}
          minimumDate={localNoon(earliest)}
          {...(latest === undefined ? {} : { maximumDate: localNoon(latest) })}
          {...(Platform.OS === 'ios'
            ? { display: 'spinner' as const, locale: language, textColor: palette.ink }
            : {})}
          onValueChange={(_event, date) => {
            // On Android the picker is a dialogue, which a choice closes.
            if (Platform.OS !== 'ios') setOpen(false)
            onChange(today(date))
          }}
          onDismiss={() => setOpen(false)}
        />
      ) : null}
      <View accessibilityLiveRegion="polite">
        {issue ? (
          <Words kind="caption" tone="danger" style={styles.issue}>
            {issue}
          </Words>
        ) : null}
      </View>
    </View>
  )
}

const styles = StyleSheet.create({ label: { marginBottom: 6 }, issue: { marginTop: 6 } })
