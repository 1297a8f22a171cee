import type { CalendarDay } from '@companion/sdk'
import { useState } from 'react'
import type { QueuedNote } from '../companion/use-outbox'
import { emptyNote, isSame, noteOf, toDraft } from './note-draft'
import { compareDraft } from './draft-origin'
import type { DraftOrigin } from './draft-origin'

/** The draft of a day's note. Typed text stays when the note changes elsewhere; an untouched form shows the newest note. */
export function useNoteDraft(day: CalendarDay | undefined, queued: QueuedNote | undefined) {
  const newest: DraftOrigin = queued
    ? { version: queued.input.version, note: noteOf(queued.input) }
    : { version: day?.version, note: day ?? emptyNote }
  const [ground, setGround] = useState(newest)
  const [draft, setDraft] = useState(() => toDraft(ground.note))
  const begin = (from: DraftOrigin) => {
    setGround(from)
    setDraft(toDraft(from.note))
  }
  const isStillNewest = isSame(newest.note, ground.note)
  // The outbox gives a queued note a new version after it has sent the one before.
  const stands = compareDraft(draft, isStillNewest && queued ? newest : ground, day)
  if (!stands.isDirty && !isStillNewest) begin(newest)
  return { draft, setDraft, begin, ...stands }
}
