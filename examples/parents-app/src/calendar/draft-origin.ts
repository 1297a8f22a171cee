import type { CalendarDay } from '@companion/sdk'
import { isSame, toDraft, toNote } from './note-draft'
import type { Note, NoteDraft } from './note-draft'

/** The note that a draft started from. */
export interface DraftOrigin {
  version: string | undefined
  note: Note
}

/** Compares a draft with the note it started from and with what the service has now. */
export function compareDraft(draft: NoteDraft, ground: DraftOrigin, day: CalendarDay | undefined) {
  const isNews =
    day !== undefined &&
    day.version !== ground.version &&
    !isSame(day, ground.note) &&
    !isSame(day, toNote(draft))
  return {
    /** Whether the parent has typed something. */
    isDirty: JSON.stringify(draft) !== JSON.stringify(toDraft(ground.note)),
    /** What someone else has written since then. */
    other: isNews ? day : undefined,
    /** The version that saving may replace. */
    version: isNews || !day ? ground.version : day.version,
  }
}
