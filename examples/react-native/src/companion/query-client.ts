import { isOffline } from '@companion/sdk'
import { QueryClient } from '@tanstack/react-query'

// The SDK tells by itself whether the service can be reached; a refusal stays one, however often it is asked for.
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      staleTime: 30_000,
      retry: (failures, error) => isOffline(error) && failures < 1,
      retryDelay: 1_000,
    },
    mutations: { networkMode: 'always' },
  },
})
