import { isOffline, safe } from '@companion/sdk'
import type { QueryClient } from '@tanstack/react-query'
import { companion } from '../companion/client'
import { dayOptions } from '../companion/queries'
import type { QueuedNote } from '../companion/use-outbox'
import type { CalendarDate } from '../time/dates'
import { isEmptyNote, isSame } from './note-draft'
import type { Note } from './note-draft'

export interface NoteToSave {
  note: Note
  /** The version that may be replaced. Without one, only a day without a note may be written. */
  version: string | undefined
  /** The parent has decided to replace all queued notes of the day and, without `version`, any note it has. */
  isChosen?: boolean
}

interface Day {
  childId: number
  date: CalendarDate
  /** The notes of the day that wait for the service or were refused by it. */
  queued: QueuedNote[]
}

/**
 * Saves a day's note, unless someone has changed it since `version` was read: then the current note is loaded instead.
 * Without a connection, the note goes to the outbox, which sends it later under the same rule. Without a connection, nobody
 * can know whether a day without a version still has no note.
 */
export async function saveNote(
  queries: QueryClient,
  { childId, date, queued }: Day,
  { note, version, isChosen = false }: NoteToSave,
): Promise<'saved' | 'conflict'> {
  const day = dayOptions(childId, date)
  const readAgain = async () => {
    // A response to an earlier call may be out of date.
    await queries.cancelQueries({ queryKey: day.queryKey })
    return queries.fetchQuery({ ...day, staleTime: 0, retry: false })
  }
  const event = { ...note, real_user_id: childId, created_at: date, ...(version ? { version } : {}) }
  const send = async () => {
    if (version === undefined && !isChosen) {
      // Saving without a version would replace a note that someone else has just written.
      const found = await readAgain()
      if (!isEmptyNote(found) && !isSame(found, note)) return 'conflict'
    }
    const [, error] = await safe(companion.calendar.saveEvent(event))
    if (error?.data?.detail === 'Event was changed meanwhile') {
      await readAgain()
      return 'conflict'
    }
    if (error) throw error
    return 'saved'
  }
  const isOutdated = ({ error }: QueuedNote) => isChosen || error !== undefined
  // If another note of the day already waits, this one queues behind it; the outbox keeps their order.
  const [outcome, error] = queued.every(isOutdated) ? await safe(send()) : []
  if (error && !isOffline(error)) throw error
  if (outcome === 'conflict') return 'conflict'
  if (outcome === undefined) await companion.outbox.saveEvent(event)
  await companion.outbox.remove(queued.filter(isOutdated))
  return 'saved'
}
