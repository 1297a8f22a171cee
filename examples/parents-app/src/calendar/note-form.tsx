import type { CalendarDay } from '@companion/sdk'
import { useState } from 'react'
import { companion } from '../companion/client'
import type { QueuedNote } from '../companion/use-outbox'
import { useLanguage } from '../i18n/language'
import type { CalendarDate } from '../time/dates'
import { Button } from '../ui/button'
import { Failure } from '../ui/failure'
import { Field } from '../ui/field'
import { Notice } from '../ui/notice'
import { HospitalFields } from './hospital-fields'
import { MedicationFields } from './medication-fields'
import { MoodChoice } from './mood-choice'
import { lineIssues, MEMO_LIMIT, memoLength, toNote } from './note-draft'
import { NoteConflict } from './note-conflict'
import { RefusedNote } from './refused-note'
import { useLeave } from './use-leave'
import { useNoteDraft } from './use-note-draft'
import { useSaveNote } from './use-save-note'

interface NoteFormProps {
  childId: number
  date: CalendarDate
  /** The day as the service knows it; undefined if it could not be loaded. */
  day: CalendarDay | undefined
  /** The notes of the day that have not reached the service. */
  queued: QueuedNote[]
}

/** The form for the memo, medication and hospital visits of one day. */
export function NoteForm({ childId, date, day, queued }: NoteFormProps) {
  const { t } = useLanguage()
  const newest = queued.at(-1)
  const { draft, setDraft, begin, isDirty, other, version } = useNoteDraft(day, newest)
  const [isChecked, setChecked] = useState(false)
  const { leave, question } = useLeave(isDirty)
  const save = useSaveNote(childId, date, queued, leave)
  const left = MEMO_LIMIT - memoLength(draft)
  const issues = lineIssues(draft)
  const submit = (saving: { version: string | undefined; isChosen?: boolean }) => {
    setChecked(true)
    if (left >= 0 && !issues.some(({ name, dose }) => name || dose))
      save.mutate({ note: toNote(draft), ...saving })
  }
  const takeTheirs = async (theirs: CalendarDay) => {
    await companion.outbox.remove(queued)
    begin({ version: theirs.version, note: theirs })
  }
  return (
    <>
      {!day && !newest ? <Notice text={t.calendar.unknownDay} /> : null}
      {newest && !newest.error ? <Notice text={t.states.queued} /> : null}
      {newest?.error && !other ? (
        <RefusedNote error={newest.error} queued={queued} onDiscarded={leave} />
      ) : null}
      {other ? (
        <NoteConflict
          other={other}
          isBusy={save.isPending}
          onSaveMine={() => submit({ version: other.version, isChosen: true })}
          onUseTheirs={() => void takeTheirs(other)}
        />
      ) : null}
      <MoodChoice mood={draft.mood} onChange={(mood) => setDraft({ ...draft, mood })} />
      <Field
        label={t.calendar.memo}
        value={draft.memo}
        onChangeText={(memo) => setDraft({ ...draft, memo })}
        placeholder={t.calendar.memoPlaceholder}
        multiline
        hint={left <= 200 ? t.calendar.memoLeft(left) : undefined}
        issue={left < 0 ? t.calendar.memoLeft(left) : undefined}
      />
      <MedicationFields
        lines={draft.medication}
        issues={isChecked ? issues : []}
        onChange={(medication) => setDraft({ ...draft, medication })}
      />
      <HospitalFields lines={draft.hospital} onChange={(hospital) => setDraft({ ...draft, hospital })} />
      <Failure error={save.error} />
      {other ? null : <Button label={t.save} onPress={() => submit({ version })} isBusy={save.isPending} />}
      {question}
    </>
  )
}
