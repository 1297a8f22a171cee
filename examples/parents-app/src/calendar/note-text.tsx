import type { SaveEventInput } from '@companion/sdk'
import { View } from 'react-native'
import { useLanguage } from '../i18n/language'
import { Words } from '../ui/words'

/** The content of a note, to be read. */
export function NoteText({
  note: { memo, event_data },
}: {
  note: Pick<SaveEventInput, 'memo' | 'event_data'>
}) {
  const { t } = useLanguage()
  const medication = event_data?.medication?.map((item) => `${item.medication_name} ${item.medication_dose}`)
  const lines = [
    [t.calendar.medication, medication?.join(', ')],
    [t.calendar.hospital, event_data?.hospital?.join(', ')],
  ] as const
  return (
    <>
      {memo ? <Words>{memo}</Words> : null}
      {lines.map(([label, text]) =>
        text ? (
          <View key={label}>
            <Words kind="caption" tone="muted">
              {label}
            </Words>
            <Words>{text}</Words>
          </View>
        ) : null,
      )}
    </>
  )
}
