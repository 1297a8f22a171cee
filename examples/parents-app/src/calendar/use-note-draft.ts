import type { CalendarDay } from '@companion/sdk'
import { useState } from 'react'
import type { QueuedNote } from '../companion/use-outbox'
import { emptyNote, isSame, noteOf, toDraft } from './note-draft'
import { standing } from './note-ground'
import type { Ground } from './note-ground'

/** The draft of a day's note. Typed text stays when the note changes elsewhere; an untouched form shows the newest note. */
export function useNoteDraft(day: CalendarDay | undefined, queued: QueuedNote | undefined) {
  const newest: Ground = queued
    ? { version: queued.input.version, note: noteOf(queued.input) }
    : { version: day?.version, note: day ?? emptyNote }
  const [ground, setGround] = useState(newest)
  const [draft, setDraft] = useState(() => toDraft(ground.note))
  const begin = (from: Ground) => {
    setGround(from)
    setDraft(toDraft(from.note))
  }
  const isStillNewest = isSame(newest.note, ground.note)
  // The outbox gives a queued note a new version after it has sent the one before.
  const stands = standing(draft, isStillNewest && queued ? newest : ground, day)
  if (!stands.isDirty && !isStillNewest) begin(newest)
  return { draft, setDraft, begin, ...stands }
}
