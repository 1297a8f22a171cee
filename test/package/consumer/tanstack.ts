import { createCompanion } from '@companion/sdk'
import type { TrpcRouter } from '@companion/sdk'
import { QueryClient, useMutation, useQuery } from '@tanstack/react-query'
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query'

const companion = createCompanion({ baseUrl: 'https://companion.test' })
const queryClient = new QueryClient()
const trpc = createTRPCOptionsProxy<TrpcRouter>({ client: companion.trpc, queryClient })

export function useNote(real_user_id: number) {
  const day = useQuery(trpc.calendar.readDay.queryOptions({ real_user_id, event_date: '2026-03-01' }))
  const save = useMutation(
    trpc.calendar.saveEvent.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries(trpc.calendar.readDay.queryFilter({ real_user_id })),
    }),
  )
  return {
    memo: day.data?.memo,
    isUnreadable: day.error?.data?.detail === 'Failed to read detail event',
    write: (memo: string) => save.mutate({ real_user_id, created_at: '2026-03-01', memo }),
  }
}
