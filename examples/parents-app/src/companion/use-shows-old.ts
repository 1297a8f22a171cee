import { isOffline } from '@companion/sdk'
import { notifyManager, useQueryClient } from '@tanstack/react-query'
import { useCallback, useSyncExternalStore } from 'react'

/** Whether the screen shows an old response because there is no connection. */
export function useShowsOld(): boolean {
  const cache = useQueryClient().getQueryCache()
  return useSyncExternalStore(
    useCallback((changed) => cache.subscribe(notifyManager.batchCalls(changed)), [cache]),
    () =>
      cache
        .findAll({ type: 'active' })
        .some(({ state }) => state.data !== undefined && isOffline(state.error)),
  )
}
