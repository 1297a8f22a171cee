import { isOffline } from '@companion/sdk'
import { QueryCache, QueryClient } from '@tanstack/react-query'
import { keys } from './keys'

// The SDK knows whether the service can be reached. A refusal is not retried, because it would stay a refusal.
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // An answer shows that the service can be reached. The outbox is on the phone, so its answers show nothing.
    onSuccess: (_answer, { queryKey }) => {
      if (queryKey[0] !== keys.outbox[0]) askAgain()
    },
  }),
  defaultOptions: {
    queries: {
      networkMode: 'always',
      staleTime: 30_000,
      // `kept-answers.ts` limits how long answers are kept.
      gcTime: Infinity,
      retry: (failures, error) => isOffline(error) && failures < 1,
      retryDelay: 1_000,
      // Asks again while the screen shows an old answer.
      refetchInterval: ({ state }) => (isOffline(state.error) && state.data !== undefined ? 20_000 : false),
    },
    // Inputs, which may be passwords, are not kept. With 0, the client would poll unwatched calls in a tight loop.
    mutations: { networkMode: 'always', gcTime: 1_000 },
  },
})

/** Repeats the queries on the screen that failed because there was no connection. */
export function askAgain(): void {
  void queryClient.refetchQueries(
    { type: 'active', predicate: ({ state }) => isOffline(state.error) },
    { cancelRefetch: false },
  )
}
