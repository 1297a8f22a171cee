import type { OutboxItem } from '@companion/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { CalendarDate } from '../time/dates'
import { companion } from './client'
import { cacheKeys } from './cache-keys'
import { retryOfflineQueries } from './query-client'

export type QueuedNote = Extract<OutboxItem, { kind: 'event' }>

/** Updates the screens when the outbox changes, and gives up reports about firmware that the service refuses. */
export function useFollowOutbox() {
  const queries = useQueryClient()
  useEffect(
    () =>
      companion.outbox.subscribe(async ({ type, items }) => {
        // An error may mean that the day was changed elsewhere.
        if (type === 'sent' || type === 'rejected') {
          retryOfflineQueries()
          await queries.invalidateQueries({ queryKey: cacheKeys.calendar })
        }
        const reports = items.filter(({ kind }) => kind === 'firmware')
        if (type === 'sent' && reports.length > 0)
          for (const queryKey of [cacheKeys.firmware, cacheKeys.devices])
            await queries.invalidateQueries({ queryKey })
        // The device is somebody else's by now, and there is nothing that a parent could do about it.
        if (type === 'rejected' && reports.length > 0) await companion.outbox.remove(reports)
        await queries.invalidateQueries({ queryKey: cacheKeys.outbox })
      }),
    [queries],
  )
}

/** The notes that have not reached the service, the oldest first. A refused one has an `error`. */
export function useQueuedNotes(): QueuedNote[] {
  const { data } = useQuery({
    queryKey: cacheKeys.outbox,
    queryFn: async () => [...(await companion.outbox.list())],
  })
  return data?.filter((item) => item.kind === 'event') ?? []
}

/** The unsent notes of a day. The last one is what the parent wants the day to say. */
export const useQueuedOfDay = (childId: number, date: CalendarDate) =>
  useQueuedNotes().filter(({ input }) => input.real_user_id === childId && input.created_at === date)
