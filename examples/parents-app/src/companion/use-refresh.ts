import { useQueryClient } from '@tanstack/react-query'
import type { QueryKey } from '@tanstack/react-query'
import { useState } from 'react'

/** Reloads these queries when the user pulls the page down. */
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
