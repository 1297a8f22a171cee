import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { CalendarDate } from '../time/dates'
import { companion } from './client'
import { keys } from './queries'

/** Keeps the screens at what the outbox does. */
export function useFollowOutbox() {
  const queries = useQueryClient()
  useEffect(
    () =>
      companion.outbox.subscribe(async ({ type }) => {
        if (type === 'sent') await queries.invalidateQueries({ queryKey: keys.calendar })
        await queries.invalidateQueries({ queryKey: keys.outbox })
      }),
    [queries],
  )
}

/** The newest note of a day that has not reached the service; with an `error` when the service refused it. */
export function useQueuedNote(childId: number, date: CalendarDate) {
  const { data } = useQuery({
    queryKey: keys.outbox,
    queryFn: async () => [...(await companion.outbox.list())],
  })
  return data?.findLast(
    (item) => item.kind === 'event' && item.input.real_user_id === childId && item.input.created_at === date,
  )
}
