import type { CalendarDay } from '@companion/sdk'
import type { QueuedNote } from '../companion/use-outbox'
import { useLanguage } from '../i18n/language'
import type { CalendarDate } from '../time/dates'
import { Failure } from '../ui/failure'
import { Notice } from '../ui/notice'
import { splitMoodFromMemo, memoWithMood } from './mood'
import { MoodChoice } from './mood-choice'
import { emptyNote, noteOf } from './note-draft'
import { useSaveNote } from './use-save-note'

interface DayMoodProps {
  childId: number
  date: CalendarDate
  day: CalendarDay | undefined
  /** The notes of the day that wait for a connection; none of them was refused. */
  queued: QueuedNote[]
}

/** Notes the mood of a day with one tap, also without a connection. The rest of the note stays as it is. */
export function DayMood({ childId, date, day, queued }: DayMoodProps) {
  const { t } = useLanguage()
  const save = useSaveNote(childId, date, queued)
  const newest = queued.at(-1)
  const note = newest ? noteOf(newest.input) : (day ?? emptyNote)
  const { text } = splitMoodFromMemo(note.memo)
  const { memo } = save.isPending ? save.variables.note : note
  return (
    <>
      <MoodChoice
        mood={splitMoodFromMemo(memo).mood}
        isDisabled={save.isPending}
        onChange={(mood) =>
          save.mutate({
            note: { memo: memoWithMood(mood, text), event_data: note.event_data },
            version: newest ? newest.input.version : day?.version,
          })
        }
      />
      {save.data === 'conflict' ? <Notice kind="danger" text={t.mood.conflict} /> : null}
      <Failure error={save.error} />
    </>
  )
}
