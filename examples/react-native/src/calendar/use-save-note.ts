import { isOffline, safe } from '@companion/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { companion } from '../companion/client'
import { dayOptions, keys } from '../companion/queries'
import type { QueuedNote } from '../companion/use-outbox'
import type { CalendarDate } from '../time/dates'
import { isEmptyNote } from './note-draft'
import type { Note } from './note-draft'

interface Saving {
  note: Note
  /** The version that may be replaced; without, any. */
  version: string | undefined
  /** Instead of all that is queued of this day. */
  isChosen?: boolean
}

/**
 * Saves a day's note, unless it was changed elsewhere since that version was read: then what it says now is loaded. Without
 * connection it is kept in the outbox, which sends it later by the same rule.
 */
export function useSaveNote(childId: number, date: CalendarDate, queued: QueuedNote[], onSaved?: () => void) {
  const queries = useQueryClient()
  const day = dayOptions(childId, date)
  /** Whether the day turns out to have a note, when it could not be loaded before. */
  const findsNote = async () => {
    if (queries.getQueryData(day.queryKey)) return false
    const found = await queries.fetchQuery({ ...day, retry: false }).catch(() => undefined)
    return found !== undefined && !isEmptyNote(found)
  }
  return useMutation({
    mutationFn: async ({ note, version, isChosen = false }: Saving) => {
      const event = { ...note, real_user_id: childId, created_at: date, ...(version ? { version } : {}) }
      const isOutdated = ({ error }: QueuedNote) => isChosen || error !== undefined
      if (queued.every(isOutdated)) {
        if (await findsNote()) return 'conflict'
        const [, error] = await safe(companion.calendar.saveEvent(event))
        if (error?.data?.detail === 'Event was changed meanwhile') {
          await queries.refetchQueries({ queryKey: day.queryKey })
          return 'conflict'
        }
        if (isOffline(error)) await companion.outbox.saveEvent(event)
        else if (error) throw error
      } else {
        // Behind a note that waits: the outbox keeps their order.
        await companion.outbox.saveEvent(event)
      }
      await companion.outbox.remove(queued.filter(isOutdated))
      return 'saved'
    },
    onSuccess: (outcome) => {
      if (outcome === 'conflict') return
      void queries.invalidateQueries({ queryKey: keys.calendar })
      onSaved?.()
    },
  })
}
