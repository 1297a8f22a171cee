import { StyleSheet, View } from 'react-native'
import { useDay } from '../companion/queries'
import { useQueuedOfDay } from '../companion/use-outbox'
import { useLanguage } from '../i18n/language'
import { usePalette } from '../theme/use-palette'
import { addDays } from '../time/dates'
import type { CalendarDate } from '../time/dates'
import { Words } from '../ui/words'
import { nightOfDay } from './night-of-day'
import { isEmptyNote, noteOf } from './note-draft'
import { NoteText } from './note-text'

/** The note of the date after a night, beside that night, with its date; nothing if the note is about its own date. */
export function MorningAfter({ childId, evening }: { childId: number; evening: CalendarDate }) {
  const { t, format } = useLanguage()
  const palette = usePalette()
  const date = addDays(evening, 1)
  const day = useDay(childId, date).data
  const queued = useQueuedOfDay(childId, date)
  const newest = queued.at(-1)
  const note = newest ? noteOf(newest.input) : day
  const about = nightOfDay(date, day, queued)
  if (!note || isEmptyNote(note) || about === undefined) return null
  const on = format.dayAndMonth(date)
  return (
    <View style={[styles.note, { borderColor: palette.note }]}>
      <Words kind="label" tone="muted">
        {about.isCertain ? t.calendar.morningAfter(on) : t.calendar.noteOf(on)}
      </Words>
      <NoteText note={note} />
    </View>
  )
}

const styles = StyleSheet.create({ note: { borderLeftWidth: 3, paddingLeft: 12, gap: 6 } })
