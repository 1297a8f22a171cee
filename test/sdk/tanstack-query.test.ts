import { createCompanion } from '@companion/sdk'
import type { TrpcRouter } from '@companion/sdk'
import { MutationObserver, QueryClient } from '@tanstack/react-query'
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query'
import { expect, expectTypeOf, test } from 'vitest'
import { addChild, PASSWORD, signUp } from '../support/family.ts'
import { useServer } from '../support/server.ts'

const server = useServer()

// The same as in the SDK's README; `useQuery` and `useMutation` take the very options that are used here without React.
test('options for TanStack Query come from the raw client, errors and sessions included', async () => {
  const account = await signUp(server)
  const { real_user_id } = await addChild(server, account.token)
  const companion = createCompanion({ baseUrl: server.url })
  await companion.auth.signIn({ username: account.email, password: PASSWORD })

  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const trpc = createTRPCOptionsProxy<TrpcRouter>({ client: companion.trpc, queryClient })

  const day = { real_user_id, event_date: '2026-03-10' }
  const before = await queryClient.fetchQuery(trpc.calendar.readDay.queryOptions(day))
  expectTypeOf(before.memo).toEqualTypeOf<string>()
  expect(before).toMatchObject({ real_user_id, event_id: null, memo: '' })

  const save = new MutationObserver(
    queryClient,
    trpc.calendar.saveEvent.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries(trpc.calendar.readDay.queryFilter(day)),
    }),
  )
  await save.mutate({ real_user_id, created_at: '2026-03-10', memo: 'Slept well' })
  expect(queryClient.getQueryState(trpc.calendar.readDay.queryKey(day))?.isInvalidated).toBe(true)
  expect(await queryClient.fetchQuery(trpc.calendar.readDay.queryOptions(day))).toMatchObject({
    memo: 'Slept well',
  })

  const options = trpc.children.read.queryOptions({ real_user_id: 2_000_000_000 })
  await expect(queryClient.fetchQuery(options)).rejects.toMatchObject({
    data: { status: 404, detail: 'Real user is not found' },
  })
})
