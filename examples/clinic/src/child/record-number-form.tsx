import { useState } from 'react'
import type { ClinicChild } from '../list/clinic-child'
import { useWords } from '../i18n/language'
import { useUpdateChild } from '../list/use-update-child'
import { Problem } from '../shell/states'

/** The child's record number in the clinic, and who has seen it. */
export function RecordNumberForm({ clinicId, item }: { clinicId: number; item: ClinicChild }) {
  const { t, format } = useWords()
  const stored = item.record_number ?? ''
  // What the user has typed, and what was stored when they began; the field shows what is stored until then.
  const [draft, setDraft] = useState<{ text: string; over: string }>()
  const record = draft?.text ?? stored
  const { mutate, isPending, isSuccess, error } = useUpdateChild()
  const child = { clinic_id: clinicId, real_user_id: item.real_user_id }
  return (
    <section className="place">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          mutate(
            { ...child, record_number: record.trim() || null },
            // What was typed since then stays.
            { onSuccess: () => setDraft((now) => (now === draft ? undefined : now)) },
          )
        }}
      >
        <label>
          {t.child.record}
          <input
            value={record}
            maxLength={100}
            autoComplete="off"
            aria-describedby="record-hint"
            onChange={({ target: { value } }) =>
              setDraft(value === stored ? undefined : { text: value, over: draft?.over ?? stored })
            }
          />
        </label>
        <button type="submit" className="no-print" disabled={isPending || record.trim() === stored}>
          {t.save}
        </button>
        <p className="hint no-print" id="record-hint">
          {t.child.recordHint}
        </p>
      </form>
      <div>
        <p>
          {t.list.columns.seen}:{' '}
          {item.seen_at ? t.list.seenBy(item.seen_by ?? t.none, format.moment(item.seen_at)) : t.none}
        </p>
        <button
          type="button"
          className="no-print"
          disabled={isPending}
          onClick={() => mutate({ ...child, is_seen: item.seen_at === null })}
        >
          {item.seen_at ? t.list.unseen : t.list.seen}
        </button>
      </div>
      <p role="status">
        {draft && draft.over !== stored && record.trim() !== stored
          ? t.child.recordStored(stored || t.none)
          : isSuccess && draft === undefined && t.saved}
      </p>
      {error && <Problem error={error} />}
    </section>
  )
}
