import type { DehydratedState, Query, QueryClient } from '@tanstack/react-query'
import { persistQueryClientRestore, persistQueryClientSubscribe } from '@tanstack/react-query-persist-client'
import type { PersistedClient } from '@tanstack/react-query-persist-client'
import { createAsyncStoragePersister } from '@tanstack/query-async-storage-persister'
import { keys } from './keys'

interface Storage {
  getItem: (key: string) => Promise<string | null>
  setItem: (key: string, text: string) => Promise<unknown>
  removeItem: (key: string) => Promise<void>
}

const KEY = 'companion-answers'
const KEPT_MS = 7 * 24 * 3_600_000
/** A few kB each: Android reads no more than 2 MB back from one item. */
const MOST = 200
const KEPT_KEYS = new Set<unknown>([keys.account, keys.children, keys.charts, keys.calendar].flat())

const isWorthKeeping = ({ queryKey, state }: Query) =>
  KEPT_KEYS.has(queryKey[0]) && state.data !== undefined && state.dataUpdatedAt > Date.now() - KEPT_MS

/** The next start asks for everything anew; that asking failed since, for want of a connection, is of no interest then. */
const asAnswered = ({ state, ...query }: DehydratedState['queries'][number]) => ({
  ...query,
  state: {
    ...state,
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
      queries: queries
        .toSorted((one, other) => other.state.dataUpdatedAt - one.state.dataUpdatedAt)
        .slice(0, MOST)
        .map(asAnswered),
    },
  })

/**
 * Keeps what the service answered on this phone, for a start without connection: one account's, and no longer than needed.
 * Another version of the app may expect answers of another form, and starts with none.
 */
export function answersKeptIn(storage: Storage, queryClient: QueryClient, appVersion: string) {
  let stop: (() => void) | undefined
  return {
    /** Brings back what was kept of this account, throws away any other's, and keeps from now on. */
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
        // It writes a second late, when the session may have ended.
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
      // What cannot be read is thrown away, and the service asked.
      await persistQueryClientRestore(options).catch(() => undefined)
      // The session may have ended meanwhile.
      if (isOver) queryClient.clear()
      else unsubscribe = persistQueryClientSubscribe(options)
    },
    /** Nothing of one family may be seen by the next that signs in on this phone. */
    async forget(): Promise<void> {
      stop?.()
      queryClient.clear()
      // A storage that fails now is read by nobody: what it kept bears the name of its account.
      await storage.removeItem(KEY).catch(() => undefined)
    },
  }
}
