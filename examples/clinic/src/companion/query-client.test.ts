import { MutationObserver, onlineManager, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { queryClient } from './query-client'

/** It only ends a wait that hangs. */
const LIMIT_MS = 240_000
const refusal = Object.assign(new Error('500'), { data: { status: 500, detail: 'Out of order' } })
const call = vi.fn<() => Promise<never>>(() => Promise.reject(refusal))

beforeEach(() => {
  queryClient.mount()
  onlineManager.setOnline(false)
})
afterEach(() => {
  queryClient.unmount()
  onlineManager.setOnline(true)
  queryClient.clear()
  call.mockClear()
})

test('a change that is made offline fails at once, and does not happen later', async () => {
  const observer = new MutationObserver(queryClient, { mutationFn: call })
  await expect(observer.mutate()).rejects.toBe(refusal)
  onlineManager.setOnline(true)
  await queryClient.resumePausedMutations()
  expect(call).toHaveBeenCalledTimes(1)
})

test('what is read offline says that it failed, and is read again once the network is back', async () => {
  const observer = new QueryObserver(queryClient, { queryKey: ['something'], queryFn: call })
  const close = observer.subscribe(() => undefined)
  await vi.waitFor(() => expect(observer.getCurrentResult().error).toBe(refusal), LIMIT_MS)
  onlineManager.setOnline(true)
  await vi.waitFor(() => expect(call).toHaveBeenCalledTimes(2), LIMIT_MS)
  close()
})
