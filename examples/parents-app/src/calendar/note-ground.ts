import type { CalendarDay } from '@companion/sdk'
import { isSame, toDraft, toNote } from './note-draft'
import type { Note, NoteDraft } from './note-draft'

/** What a draft was begun from. */
export interface Ground {
  version: string | undefined
  note: Note
}

/** How a draft stands to its ground and to what the service has by now. */
export function standing(draft: NoteDraft, ground: Ground, day: CalendarDay | undefined) {
  const isNews =
    day !== undefined &&
    day.version !== ground.version &&
    !isSame(day, ground.note) &&
    !isSame(day, toNote(draft))
  return {
    /** Whether something was typed. */
    isDirty: JSON.stringify(draft) !== JSON.stringify(toDraft(ground.note)),
    /** What somebody else has written since. */
    other: isNews ? day : undefined,
    /** The version that saving may replace. */
    version: isNews || !day ? ground.version : day.version,
  }
}
