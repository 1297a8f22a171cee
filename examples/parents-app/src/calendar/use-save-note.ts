import { useMutation, useQueryClient } from '@tanstack/react-query'
import { cacheKeys } from '../companion/cache-keys'
import type { QueuedNote } from '../companion/use-outbox'
import type { CalendarDate } from '../time/dates'
import { saveNote } from './save-note'
import type { NoteToSave } from './save-note'

/** Saves a day's note. The component that shows the day also shows a conflict. */
export function useSaveNote(childId: number, date: CalendarDate, queued: QueuedNote[], onSaved?: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (saving: NoteToSave) => saveNote(queries, { childId, date, queued }, saving),
    onSuccess: (outcome) => {
      if (outcome === 'conflict') return
      void queries.invalidateQueries({ queryKey: cacheKeys.calendar })
      onSaved?.()
    },
  })
}
