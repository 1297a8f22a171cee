import type { SaveEventInput } from '@companion/sdk'
import { StyleSheet, View } from 'react-native'
import { useLanguage } from '../i18n/language'
import { usePalette } from '../theme/use-palette'
import { Words } from '../ui/words'
import { parseStoredMedication } from './medication'
import { splitMoodFromMemo } from './mood'
import { Face } from './mood-choice'

/** The content of a note, to be read. */
export function NoteText({
  note: { memo, event_data },
}: {
  note: Pick<SaveEventInput, 'memo' | 'event_data'>
}) {
  const { t } = useLanguage()
  const palette = usePalette()
  const { mood, text } = splitMoodFromMemo(memo ?? '')
  const medication = event_data?.medication
    ?.map(parseStoredMedication)
    .map(({ name, dose }) => `${name} ${dose}`)
  const lines = [
    [t.calendar.medication, medication?.join(', ')],
    [t.calendar.hospital, event_data?.hospital?.join(', ')],
  ] as const
  return (
    <>
      {mood ? (
        <View accessible style={styles.mood}>
          <Face mood={mood} color={palette.accent} />
          <Words>{t.mood.names[mood]}</Words>
        </View>
      ) : null}
      {text ? <Words>{text}</Words> : null}
      {lines.map(([label, line]) =>
        line ? (
          <View key={label}>
            <Words kind="caption" tone="muted">
              {label}
            </Words>
            <Words>{line}</Words>
          </View>
        ) : null,
      )}
    </>
  )
}

const styles = StyleSheet.create({ mood: { flexDirection: 'row', alignItems: 'center', gap: 8 } })
