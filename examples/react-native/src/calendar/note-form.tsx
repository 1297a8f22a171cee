import type { CalendarDay } from '@companion/sdk'
import { useState } from 'react'
import { useLanguage } from '../i18n/language'
import type { CalendarDate } from '../time/dates'
import { Button } from '../ui/button'
import { Failure } from '../ui/failure'
import { Field } from '../ui/field'
import { Notice } from '../ui/notice'
import { HospitalFields } from './hospital-fields'
import { MedicationFields } from './medication-fields'
import { doseFaults, MEMO_LIMIT, memoLength, toDraft, toEvent } from './note-draft'
import { useSaveNote } from './use-save-note'

interface NoteFormProps {
  day: CalendarDay
  date: CalendarDate
  onSaved: () => void
}

/** Memo, medication and hospital visits of one day. */
export function NoteForm({ day, date, onSaved }: NoteFormProps) {
  const { t } = useLanguage()
  const [draft, setDraft] = useState(() => toDraft(day))
  const [isChecked, setChecked] = useState(false)
  const { save, reload } = useSaveNote(day, date, onSaved)
  const left = MEMO_LIMIT - memoLength(draft)
  const faults = doseFaults(draft)
  const submit = () => {
    setChecked(true)
    if (left >= 0 && faults.length === 0) save.mutate(toEvent(draft))
  }
  return (
    <>
      <Field
        label={t.calendar.memo}
        value={draft.memo}
        onChangeText={(memo) => setDraft({ ...draft, memo })}
        placeholder={t.calendar.memoPlaceholder}
        multiline
        hint={left <= 200 ? t.calendar.memoLeft(left) : undefined}
        fault={left < 0 ? t.calendar.memoLeft(left) : undefined}
      />
      <MedicationFields
        lines={draft.medication}
        faults={isChecked ? faults : []}
        onChange={(medication) => setDraft({ ...draft, medication })}
      />
      <HospitalFields lines={draft.hospital} onChange={(hospital) => setDraft({ ...draft, hospital })} />
      <Failure error={save.error} />
      {save.data === 'conflict' ? (
        <>
          <Notice kind="danger" text={t.calendar.conflict} />
          <Button kind="quiet" label={t.calendar.reload} onPress={reload} />
        </>
      ) : (
        <Button label={t.save} onPress={submit} isBusy={save.isPending} />
      )}
    </>
  )
}
