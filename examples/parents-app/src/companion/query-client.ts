import { isOffline } from '@companion/sdk'
import { QueryCache, QueryClient } from '@tanstack/react-query'
import { detailOf, readProperty } from './error-detail'
import { cacheKeys } from './cache-keys'

// The SDK knows whether the service can be reached. An error is not retried, because it would stay an error.
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // A response shows that the service can be reached. The outbox is on the phone, so its responses show nothing.
    onSuccess: (response, { queryKey }) => {
      if (queryKey[0] !== cacheKeys.outbox[0]) retryOfflineQueries()
      if (queryKey[0] === cacheKeys.children[0]) forgetOthers(response)
    },
    // A membership may have ended, and the child is then no longer on the list.
    onError: (error, { queryKey }) => {
      if (queryKey[0] !== cacheKeys.children[0] && isRefused(error))
        void queryClient.invalidateQueries({ queryKey: cacheKeys.children })
    },
  }),
  defaultOptions: {
    queries: {
      networkMode: 'always',
      staleTime: 30_000,
      // `cached-responses.ts` limits how long answers are kept.
      gcTime: Infinity,
      retry: (failures, error) => isOffline(error) && failures < 1,
      retryDelay: 1_000,
      // Asks again while the screen shows an old response.
      refetchInterval: ({ state }) => (isOffline(state.error) && state.data !== undefined ? 20_000 : false),
    },
    // Inputs, which may be passwords, are not kept. With 0, the client would poll unwatched calls in a tight loop.
    mutations: { networkMode: 'always', gcTime: 1_000 },
  },
})

const isRefused = (error: unknown) => detailOf(error) === 'Not authorized user'

/** Drops what this phone knows of children who are no longer on the list: deleted, or no longer shared with the account. */
function forgetOthers(children: unknown): void {
  const known = new Set(
    Array.isArray(children) ? children.map((child: unknown) => readProperty(child, 'id')) : [],
  )
  queryClient.removeQueries({
    predicate: ({ queryKey }) => typeof queryKey[2] === 'number' && !known.has(queryKey[2]),
  })
}

/** Repeats the queries on the screen that failed because there was no connection. */
export function retryOfflineQueries(): void {
  void queryClient.refetchQueries(
    { type: 'active', predicate: ({ state }) => isOffline(state.error) },
    { cancelRefetch: false },
  )
}
