import type { CalendarDay } from '@companion/sdk'
import { useState } from 'react'
import type { QueuedNote } from '../companion/use-outbox'
import { emptyNote, isSame, noteOf, toDraft } from './note-draft'
import { standing } from './note-ground'
import type { Ground } from './note-ground'

/** What is typed of a day. It stays when the day is changed elsewhere; until something is typed, the form shows the newest. */
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
  // A queued note gets another version when one before it has been sent.
  const stands = standing(draft, isStillNewest && queued ? newest : ground, day)
  if (!stands.isDirty && !isStillNewest) begin(newest)
  return { draft, setDraft, begin, ...stands }
}
