import { StyleSheet, View } from 'react-native'
import { useRecords } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import { nightDateOf, nightsOf } from '../nights/night'
import { NightStrip } from '../nights/night-strip'
import { addDays } from '../time/dates'
import type { CalendarDate } from '../time/dates'
import { Words } from '../ui/words'

interface NightBeforeNoteProps {
  childId: number
  /** The date of the note. */
  date: CalendarDate
  /** Whether the note is about the night, as far as is known. */
  isAbout: boolean
}

/** The night before a note: its picture where the uses of the note's date do not show it already, and that the note is about it. */
export function NightBeforeNote({ childId, date, isAbout }: NightBeforeNoteProps) {
  const { t, format } = useLanguage()
  const evening = addDays(date, -1)
  const records = useRecords(childId, evening, addDays(date, 1)).data ?? []
  const isShown = records.some((record) => record.start.startsWith(date) && nightDateOf(record) === evening)
  const night = isShown ? undefined : nightsOf(records).find((each) => each.date === evening)
  const dates = format.night(evening)
  if (!isAbout && !night) return null
  return (
    <View style={styles.night}>
      <Words kind="label" tone="muted">
        {isAbout ? t.calendar.aboutNight(dates) : t.night.of(dates)}
      </Words>
      {night ? <NightStrip night={night} /> : null}
    </View>
  )
}

const styles = StyleSheet.create({ night: { gap: 8 } })
