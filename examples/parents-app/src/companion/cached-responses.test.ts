import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { cachedResponses } from './cached-responses'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A phone's storage, on which the app can be started any number of times. */
function phone() {
  const items = new Map<string, string>()
  const storage = {
    getItem: async (key: string) => items.get(key) ?? null,
    setItem: async (key: string, text: string) => void items.set(key, text),
    removeItem: async (key: string) => void items.delete(key),
  }
  const start = async (account: number, version = '1.0.0') => {
    const queries = new QueryClient({ defaultOptions: { queries: { gcTime: Infinity, retry: false } } })
    const responses = cachedResponses(storage, queries, version)
    await responses.keep(account)
    return { queries, responses }
  }
  return { items, storage, start }
}
const written = () => vi.advanceTimersByTimeAsync(3_000)

test('the next start shows earlier answers and asks again, even if asking again had failed', async () => {
  const { start } = phone()
  const { queries } = await start(1)
  queries.setQueryData(['children'], [{ id: 7 }])
  await queries
    .fetchQuery({ queryKey: ['children'], queryFn: () => Promise.reject(new Error('offline')) })
    .catch(() => undefined)
  expect(queries.getQueryState(['children'])?.status).toBe('error')
  await written()
  const again = await start(1)
  expect(again.queries.getQueryState(['children'])).toMatchObject({
    data: [{ id: 7 }],
    status: 'success',
    error: null,
    isInvalidated: true,
  })
})

test('only what the screens need without a connection is kept', async () => {
  const { items, start } = phone()
  const { queries } = await start(1)
  for (const key of ['account', 'children', 'charts', 'calendar', 'policy', 'outbox', 'reports'])
    queries.setQueryData([key, 'x'], `the ${key}`)
  await written()
  const kept = [...items.values()].join()
  for (const key of ['account', 'children', 'charts', 'calendar']) expect(kept).toContain(`the ${key}`)
  for (const key of ['policy', 'outbox', 'reports']) expect(kept).not.toContain(`the ${key}`)
})

test('devices are kept without the id that opens their records', async () => {
  const { items, start } = phone()
  const { queries } = await start(1)
  queries.setQueryData(['devices'], [{ device_id: 3, serial_code: 'DEMO-001', unique_id: 'secret' }])
  await written()
  expect([...items.values()].join()).not.toContain('secret')
  const again = await start(1)
  expect(again.queries.getQueryData(['devices'])).toEqual([{ device_id: 3, serial_code: 'DEMO-001' }])
})

test('another account sees none of it', async () => {
  const { items, start } = phone()
  const { queries } = await start(1)
  queries.setQueryData(['children'], 'Hana')
  await written()
  const other = await start(2)
  expect(other.queries.getQueryData(['children'])).toBeUndefined()
  expect([...items.values()].join()).not.toContain('Hana')
})

test('nothing is left when the session ends, even if a write was pending', async () => {
  const { items, start } = phone()
  const { queries, responses } = await start(1)
  queries.setQueryData(['children'], 'Hana')
  await vi.advanceTimersByTimeAsync(10)
  queries.setQueryData(['children'], 'Hana, Joon')
  await responses.forget()
  expect(items.size).toBe(0)
  expect(queries.getQueryCache().getAll()).toEqual([])
  await written()
  expect(items.size).toBe(0)
})

test('a session that ends while kept answers are being read leaves none of them', async () => {
  const { items, storage, start } = phone()
  const { queries } = await start(1)
  queries.setQueryData(['children'], 'Hana')
  await written()
  let finishReading = () => {}
  const read = new Promise<void>((resolve) => {
    finishReading = resolve
  })
  const next = new QueryClient()
  const slow = {
    ...storage,
    getItem: async (key: string) => {
      const text = await storage.getItem(key)
      await read
      return text
    },
  }
  const responses = cachedResponses(slow, next, '1.0.0')
  const keeping = responses.keep(1)
  await vi.advanceTimersByTimeAsync(10)
  await responses.forget()
  finishReading()
  await keeping
  expect(next.getQueryCache().getAll()).toEqual([])
  next.setQueryData(['children'], 'Joon')
  await written()
  expect(items.size).toBe(0)
})

test('another version of the app starts with no answers', async () => {
  const { start } = phone()
  const { queries } = await start(1)
  queries.setQueryData(['children'], 'Hana')
  await written()
  expect((await start(1, '1.1.0')).queries.getQueryData(['children'])).toBeUndefined()
})

test('answers in memory are not taken for those of the next account', async () => {
  const { start } = phone()
  const { queries, responses } = await start(1)
  queries.setQueryData(['children'], 'Hana')
  await responses.keep(2)
  expect(queries.getQueryData(['children'])).toBeUndefined()
})

test('answers older than a week are forgotten, and so are unreadable ones', async () => {
  const { items, start } = phone()
  const { queries } = await start(1)
  queries.setQueryData(['calendar', 'old'], 'old', { updatedAt: Date.now() - 8 * 24 * 3_600_000 })
  queries.setQueryData(['calendar', 'new'], 'new')
  await written()
  const { queries: next } = await start(1)
  expect(next.getQueryData(['calendar', 'old'])).toBeUndefined()
  expect(next.getQueryData(['calendar', 'new'])).toBe('new')
  vi.setSystemTime(Date.now() + 8 * 24 * 3_600_000)
  expect((await start(1)).queries.getQueryData(['calendar', 'new'])).toBeUndefined()
  for (const key of items.keys()) items.set(key, '{"half')
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  await start(1)
  vi.restoreAllMocks()
})
