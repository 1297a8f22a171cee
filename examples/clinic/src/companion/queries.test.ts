import { environmentManager, QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { child, insight, plans, uses } from './queries'

const { read, ask, all } = vi.hoisted(() => ({
  read: vi.fn<() => Promise<unknown>>(),
  ask: vi.fn<(input: unknown) => Promise<unknown>>(() => Promise.resolve({})),
  all: vi.fn<(input: unknown) => unknown[]>(() => []),
}))
vi.mock('./client', () => ({
  companion: { children: { read }, nights: { insight: ask }, plans: { list: ask }, treatments: { all } },
}))

const refusal = (status: number, detail: string) =>
  Object.assign(new Error(detail), { data: { status, detail } })
const busy = refusal(503, 'Service is starting')
const ended = refusal(401, 'Not authorized user')

beforeEach(() => {
  vi.useFakeTimers()
  // Where there is no window, nothing is asked for again.
  environmentManager.setIsServer(() => false)
})
afterEach(() => {
  vi.useRealTimers()
  read.mockReset()
})

/** Shows the child for that long, and returns what is on the screen then. */
async function showFor(ms: number) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const observer = new QueryObserver(client, child(7))
  const close = observer.subscribe(() => undefined)
  await vi.advanceTimersByTimeAsync(ms)
  const { data, error } = observer.getCurrentResult()
  close()
  return { data, error, reads: read.mock.calls.length }
}

test('a read that fails for a moment leaves the child on the screen', async () => {
  read.mockResolvedValueOnce({ id: 7 }).mockRejectedValue(busy)
  expect(await showFor(400)).toEqual({ data: { id: 7 }, error: busy, reads: 2 })
})

test('after a read that failed, the end of access is told', async () => {
  read.mockResolvedValueOnce({ id: 7 }).mockRejectedValueOnce(busy).mockRejectedValue(ended)
  expect(await showFor(5000)).toMatchObject({ error: ended, reads: 3 })
})

test('the end of access is told within half a second', async () => {
  read.mockResolvedValueOnce({ id: 7 }).mockRejectedValue(ended)
  expect(await showFor(500)).toMatchObject({ error: ended, reads: 2 })
})

test('a child that could not be read at all waits for the user to try again', async () => {
  read.mockRejectedValue(busy)
  expect(await showFor(5000)).toEqual({ data: undefined, error: busy, reads: 1 })
})

test('today is that of the service, whatever date it is here', async () => {
  const client = new QueryClient()
  await client.fetchQuery(insight(7))
  await client.fetchQuery(plans(7))
  expect(ask.mock.calls.map(([input]) => input)).toEqual([{ real_user_id: 7 }, { real_user_id: 7 }])
  await client.fetchQuery(uses(7, '2026-03-01'))
  expect(all.mock.calls[0]?.[0]).toMatchObject({ start_date: '2026-01-30', end_date: '2026-03-01' })
})
