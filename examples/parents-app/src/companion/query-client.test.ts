import { expect, test } from 'vitest'
import { cacheKeys } from './cache-keys'
import { queryClient } from './query-client'

const store = (queryKey: readonly unknown[], data: unknown) =>
  queryClient.fetchQuery({ queryKey, queryFn: async () => data, staleTime: 0 })

test('what is known of a child goes once the child is no longer on the list', async () => {
  await store([...cacheKeys.records, 'latest', 1, '2026-03-01'], ['own'])
  await store([...cacheKeys.calendar, 'day', 2, '2026-03-01'], 'shared')
  await store(cacheKeys.children, [{ id: 1 }])
  expect(
    queryClient
      .getQueryCache()
      .findAll()
      .map(({ queryKey }) => queryKey[2]),
  ).toEqual([1, undefined])
})

test('a refused child makes the phone ask for its children again', async () => {
  await store(cacheKeys.children, [{ id: 1 }])
  const error = Object.assign(new Error('refused'), { data: { detail: 'Not authorized user' } })
  const refused = queryClient.fetchQuery({
    queryKey: [...cacheKeys.charts, 'recent', 2],
    queryFn: () => Promise.reject(error),
  })
  await expect(refused).rejects.toThrow('refused')
  expect(queryClient.getQueryState(cacheKeys.children)?.isInvalidated).toBe(true)
})
