import type { Companion } from '@companion/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useChildren } from '../companion/queries'
import { updateFollowed, NOBODY, withoutChild } from './followed'
import type { FollowedChildren, KnownChild } from './followed'

/** Remembers the children of others, so that the parent is told when one is no longer there. */
export function useFollowShared(): void {
  const queries = useQueryClient()
  const { data: family } = useChildren()
  useEffect(() => {
    if (family)
      queries.setQueryData<FollowedChildren>(cacheKeys.followed, (before = NOBODY) =>
        updateFollowed(before, family),
      )
  }, [queries, family])
}

/** Stops following a child whom the parent has given up, or has been told of. */
export function useForget(): (id: number) => void {
  const queries = useQueryClient()
  return (id) =>
    queries.setQueryData<FollowedChildren>(cacheKeys.followed, (before) =>
      before ? withoutChild(before, id) : before,
    )
}

/** The children of others who are no longer there, and the ids of those who were deleted; undefined until the service was asked. */
export function useLost(): { lost: readonly KnownChild[]; deleted: readonly number[] | undefined } {
  const { data: { lost } = NOBODY } = useQuery({
    queryKey: cacheKeys.followed,
    queryFn: (): FollowedChildren => NOBODY,
    enabled: false,
  })
  const ids = lost.map(({ id }) => id)
  const { data, isError } = useQuery({
    queryKey: [...cacheKeys.changes, 'deleted', ids.join()],
    queryFn: ({ signal }) => deletedAmong(companion, ids, signal),
    enabled: ids.length > 0,
  })
  return { lost, deleted: data ?? (isError ? [] : undefined) }
}

/** More than the feed of a few children holds in its 90 days. */
const MOST_PAGES = 20

/** Those of the children whose records were deleted, which the feed tells everybody who could see them. */
export async function deletedAmong(
  { changes }: Pick<Companion, 'changes'>,
  ids: readonly number[],
  signal?: AbortSignal,
): Promise<number[]> {
  const deleted: number[] = []
  let after: string | undefined
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { items, next, has_more } = await changes.list(
      { limit: 1000, ...(after ? { after } : {}) },
      signal ? { signal } : {},
    )
    for (const { kind, real_user_id } of items)
      if (kind === 'child.deleted' && ids.includes(real_user_id)) deleted.push(real_user_id)
    if (!has_more) break
    after = next
  }
  return deleted
}
