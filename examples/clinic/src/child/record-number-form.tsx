import { useState } from 'react'
import type { ClinicChild } from '../list/clinic-child'
import { useWords } from '../i18n/language'
import { useUpdateChild } from '../list/use-update-child'
import { Problem } from '../shell/states'

/** The child's record number in the clinic, and who has seen it. */
export function RecordNumberForm({ clinicId, item }: { clinicId: number; item: ClinicChild }) {
  const { t, format } = useWords()
  const [record, setRecord] = useState(item.record_number ?? '')
  const { mutate, isPending, isSuccess, error } = useUpdateChild(clinicId)
  const { real_user_id } = item
  return (
    <section className="place">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          mutate({ real_user_id, record_number: record.trim() || null })
        }}
      >
        <label>
          {t.child.record}
          <input
            value={record}
            maxLength={100}
            autoComplete="off"
            aria-describedby="record-hint"
            onChange={({ target }) => setRecord(target.value)}
          />
        </label>
        <button
          type="submit"
          className="no-print"
          disabled={isPending || record.trim() === (item.record_number ?? '')}
        >
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
          onClick={() => mutate({ real_user_id, is_seen: item.seen_at === null })}
        >
          {item.seen_at ? t.list.unseen : t.list.seen}
        </button>
      </div>
      <p role="status">{isSuccess && t.saved}</p>
      {error && <Problem error={error} />}
    </section>
  )
}
