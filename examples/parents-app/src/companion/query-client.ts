import { isOffline } from '@companion/sdk'
import { QueryCache, QueryClient } from '@tanstack/react-query'
import { keys } from './keys'

// The SDK tells by itself whether the service can be reached; a refusal stays one, however often it is asked for.
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // One that is answered shows that the service can be reached. The outbox is on the phone.
    onSuccess: (_answer, { queryKey }) => {
      if (queryKey[0] !== keys.outbox[0]) askAgain()
    },
  }),
  defaultOptions: {
    queries: {
      networkMode: 'always',
      staleTime: 30_000,
      // Kept for as long as `kept-answers.ts` says.
      gcTime: Infinity,
      retry: (failures, error) => isOffline(error) && failures < 1,
      retryDelay: 1_000,
      // As long as something old is shown.
      refetchInterval: ({ state }) => (isOffline(state.error) && state.data !== undefined ? 20_000 : false),
    },
    // What was sent is not kept, passwords among it; 0 would look in a tight loop whether a call that nobody watches is done.
    mutations: { networkMode: 'always', gcTime: 1_000 },
  },
})

/** Asks again for what is shown and could not be loaded for want of a connection. */
export function askAgain(): void {
  void queryClient.refetchQueries(
    { type: 'active', predicate: ({ state }) => isOffline(state.error) },
    { cancelRefetch: false },
  )
}
