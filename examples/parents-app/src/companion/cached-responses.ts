import type { DehydratedState, Query, QueryClient } from '@tanstack/react-query'
import { persistQueryClientRestore, persistQueryClientSubscribe } from '@tanstack/react-query-persist-client'
import type { PersistedClient } from '@tanstack/react-query-persist-client'
import { createAsyncStoragePersister } from '@tanstack/query-async-storage-persister'
import { cacheKeys } from './cache-keys'

interface Storage {
  getItem: (key: string) => Promise<string | null>
  setItem: (key: string, text: string) => Promise<unknown>
  removeItem: (key: string) => Promise<void>
}

const KEY = 'companion-answers'
const KEPT_MS = 7 * 24 * 3_600_000
/** Responses have a few kB each, and Android can read at most 2 MB from one item of the storage. */
const MOST = 200
const KEPT_KEYS = new Set<unknown>(
  [
    cacheKeys.account,
    cacheKeys.children,
    cacheKeys.devices,
    cacheKeys.charts,
    cacheKeys.calendar,
    cacheKeys.records,
    cacheKeys.nights,
    cacheKeys.surveys,
    cacheKeys.followed,
  ].flat(),
)

const isWorthKeeping = ({ queryKey, state }: Query) =>
  KEPT_KEYS.has(queryKey[0]) && state.data !== undefined && state.dataUpdatedAt > Date.now() - KEPT_MS

/** Devices are kept without the id that opens their records to everybody who knows it. */
const withoutSecrets = (queryKey: readonly unknown[], data: unknown): unknown =>
  queryKey[0] === cacheKeys.devices[0] && Array.isArray(data)
    ? data.map((device: unknown) =>
        typeof device === 'object' && device !== null ? { ...device, unique_id: undefined } : device,
      )
    : data

/** A query as it was when it was answered. The next start asks again anyway, so an error since then does not matter. */
const withoutWaiting = ({ state, ...query }: DehydratedState['queries'][number]) => ({
  ...query,
  state: {
    ...state,
    data: withoutSecrets(query.queryKey, state.data),
    status: 'success',
    isInvalidated: true,
    error: null,
    fetchFailureCount: 0,
    fetchFailureReason: null,
  },
})

const write = ({ clientState: { queries }, ...client }: PersistedClient) =>
  JSON.stringify({
    ...client,
    clientState: {
      mutations: [],
      queries: [...queries]
        .sort((one, other) => other.state.dataUpdatedAt - one.state.dataUpdatedAt)
        .slice(0, MOST)
        .map(withoutWaiting),
    },
  })

/**
 * Keeps the responses of the service on this phone, so that the app can start without a connection: those of one account, and
 * no longer than needed. Another version of the app may expect answers of another shape, so it starts with none.
 */
export function cachedResponses(storage: Storage, queryClient: QueryClient, appVersion: string) {
  let stop: (() => void) | undefined
  return {
    /** Restores what was kept of this account, deletes what was kept of any other, and keeps answers from now on. */
    async keep(account: number): Promise<void> {
      stop?.()
      queryClient.clear()
      let isOver = false
      let unsubscribe: (() => void) | undefined
      stop = () => {
        isOver = true
        unsubscribe?.()
      }
      const persister = createAsyncStoragePersister({
        key: KEY,
        // The persister writes a second later, when the session may have ended.
        storage: {
          getItem: (key) => storage.getItem(key),
          setItem: async (key, text) => !isOver && storage.setItem(key, text),
          removeItem: (key) => storage.removeItem(key),
        },
        serialize: write,
      })
      const options = {
        queryClient,
        persister,
        buster: `${appVersion}/${account}`,
        maxAge: KEPT_MS,
        dehydrateOptions: {
          shouldDehydrateQuery: isWorthKeeping,
          shouldDehydrateMutation: () => false,
        },
      }
      // If the responses cannot be read, they are dropped and the service is asked.
      await persistQueryClientRestore(options).catch(() => undefined)
      // The session may have ended by now.
      if (isOver) queryClient.clear()
      else unsubscribe = persistQueryClientSubscribe(options)
    },
    /** Deletes everything, so that the next family to sign in on this phone sees nothing of this one. */
    async forget(): Promise<void> {
      stop?.()
      queryClient.clear()
      // If deleting fails, no other account reads the responses: they carry the id of their account.
      await storage.removeItem(KEY).catch(() => undefined)
    },
  }
}
