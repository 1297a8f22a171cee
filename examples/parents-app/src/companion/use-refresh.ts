import { useQueryClient } from '@tanstack/react-query'
import type { QueryKey } from '@tanstack/react-query'
import { useState } from 'react'

/** Pulling a page down loads these anew. */
export function useRefresh(...queryKeys: QueryKey[]) {
  const queries = useQueryClient()
  const [isRefreshing, setRefreshing] = useState(false)
  const refresh = async () => {
    setRefreshing(true)
    await Promise.all(queryKeys.map((queryKey) => queries.invalidateQueries({ queryKey })))
    setRefreshing(false)
  }
  return { isRefreshing, onRefresh: () => void refresh() }
}
