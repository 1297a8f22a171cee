import { isOffline, safe } from '@companion/sdk'
import type { QueryClient } from '@tanstack/react-query'
import { companion } from '../companion/client'
import { dayOptions } from '../companion/queries'
import type { QueuedNote } from '../companion/use-outbox'
import type { CalendarDate } from '../time/dates'
import { isEmptyNote, isSame } from './note-draft'
import type { Note } from './note-draft'

export interface Saving {
  note: Note
  /** The version that may be replaced; without, only a day that has no note. */
  version: string | undefined
  /** Instead of all that is queued of this day, and of any note it has when there is no version. */
  isChosen?: boolean
}

interface Day {
  childId: number
  date: CalendarDate
  /** What waits for the service or was refused by it. */
  queued: QueuedNote[]
}

/**
 * Saves a day's note, unless it was changed elsewhere since that version was read: then what it says now is loaded. Without
 * connection it is kept in the outbox, which sends it later by the same rule; but that a day without version still has no
 * note is only known with connection.
 */
export async function saveNote(
  queries: QueryClient,
  { childId, date, queued }: Day,
  { note, version, isChosen = false }: Saving,
): Promise<'saved' | 'conflict'> {
  const day = dayOptions(childId, date)
  const askAnew = async () => {
    // What was asked before may be answered with what was true before.
    await queries.cancelQueries({ queryKey: day.queryKey })
    return queries.fetchQuery({ ...day, staleTime: 0, retry: false })
  }
  const event = { ...note, real_user_id: childId, created_at: date, ...(version ? { version } : {}) }
  const send = async () => {
    if (version === undefined && !isChosen) {
      // Asked to save without version, the service replaces what another has written meanwhile.
      const found = await askAnew()
      if (!isEmptyNote(found) && !isSame(found, note)) return 'conflict'
    }
    const [, error] = await safe(companion.calendar.saveEvent(event))
    if (error?.data?.detail === 'Event was changed meanwhile') {
      await askAnew()
      return 'conflict'
    }
    if (error) throw error
    return 'saved'
  }
  const isOutdated = ({ error }: QueuedNote) => isChosen || error !== undefined
  // Behind a note that waits: the outbox keeps their order.
  const [outcome, error] = queued.every(isOutdated) ? await safe(send()) : []
  if (error && !isOffline(error)) throw error
  if (outcome === 'conflict') return 'conflict'
  if (outcome === undefined) await companion.outbox.saveEvent(event)
  await companion.outbox.remove(queued.filter(isOutdated))
  return 'saved'
}
