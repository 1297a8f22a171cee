import { errorResponseOf, isOffline } from '@companion/sdk'
import { QueryClient } from '@tanstack/react-query'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Otherwise a call that is made offline waits without a word, and happens when its caller no longer expects it.
      networkMode: 'always',
      refetchOnReconnect: true,
      staleTime: 30_000,
      // An error of the service would stay one; the SDK has tried again where that may help.
      retry: (failures, error) => isOffline(error) && failures < 1,
    },
    mutations: { networkMode: 'always' },
  },
})

/** Forgets what was read by an account. An invitation belongs to none, and may be on the screen. */
export const forgetReads = () =>
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'invitation' })

/** Whether the family or the operator has ended what the caller wanted to see. */
export function isAccessEnded(error: unknown): boolean {
  const { status, detail } = errorResponseOf(error) ?? {}
  return status === 404 || (status === 401 && detail === 'Not authorized user')
}
