import type { OutboxItem } from '@companion/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { CalendarDate } from '../time/dates'
import { companion } from './client'
import { keys } from './keys'
import { askAgain } from './query-client'

export type QueuedNote = Extract<OutboxItem, { kind: 'event' }>

/** Keeps the screens at what the outbox does. */
export function useFollowOutbox() {
  const queries = useQueryClient()
  useEffect(
    () =>
      companion.outbox.subscribe(async ({ type }) => {
        // A note is refused when the day was changed meanwhile.
        if (type === 'sent' || type === 'set_aside') {
          askAgain()
          await queries.invalidateQueries({ queryKey: keys.calendar })
        }
        await queries.invalidateQueries({ queryKey: keys.outbox })
      }),
    [queries],
  )
}

/** The notes that have not reached the service, the oldest first; with an `error` when the service refused one. */
export function useQueuedNotes(): QueuedNote[] {
  const { data } = useQuery({
    queryKey: keys.outbox,
    queryFn: async () => [...(await companion.outbox.list())],
  })
  return data?.filter((item) => item.kind === 'event') ?? []
}

/** Those of a day; the last is what the parent wants it to say. */
export const useQueuedOfDay = (childId: number, date: CalendarDate) =>
  useQueuedNotes().filter(({ input }) => input.real_user_id === childId && input.created_at === date)
