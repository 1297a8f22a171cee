import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { RunNamedStatement } from '../database/statement.ts'
import { keyRingOf } from '../encryption/key-ring.ts'
import { createLogger } from '../telemetry/log.ts'
import { createTrail } from './trail.ts'
import type { Access, Trail } from './trail.ts'

const SECRET = 'a secret that only this test knows, 32 bytes or more'

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-03-01T21:00:10Z') }))
afterEach(() => void vi.useRealTimers())

const origin = {
  keys: {
    hash: (purpose: string, value: string) =>
      createHash('sha256')
        .update(purpose + value)
        .digest(),
  },
  request: { address: '192.0.2.7', id: 'a-request' },
}

const read = (realUserId: number): Access => ({
  actor: { kind: 'member', id: 1 },
  operation: 'charts.recent',
  realUserId,
  outcome: 'ok',
  isChange: false,
})

/** A trail on a database that takes every statement at once; `took` hears of each. */
function trailOf(took: (name: string, values: unknown[]) => void) {
  const query: RunNamedStatement = async ({ name }, values) => {
    took(name, values)
    return []
  }
  return createTrail(
    { query, keyRing: keyRingOf({ dataKeys: [], hashSecret: undefined }, SECRET) },
    createLogger('silent'),
  )
}

test('what is noted is written within a second, also while more is noted all the time', async () => {
  const notedAt: number[] = []
  const delays: number[] = []
  const trail = trailOf((name, values) => {
    expect(name).toBe('add-trail')
    for (const id of values[4] as number[]) delays.push(Date.now() - (notedAt[id] ?? 0))
  })
  for (let id = 0; id < 100; id += 1) {
    notedAt.push(Date.now())
    trail.note(origin, read(id))
    await vi.advanceTimersByTimeAsync(90)
  }
  await vi.advanceTimersByTimeAsync(1000)
  expect(delays).toHaveLength(100)
  expect(Math.max(...delays)).toBeLessThanOrEqual(1000)
})

test('a read that comes again within its minute is written within a second too', async () => {
  const written: [name: string, times: unknown][] = []
  const trail = trailOf((name, values) => void written.push([name, values.at(name === 'add-trail' ? 6 : 1)]))
  for (let n = 0; n < 3; n += 1) {
    trail.note(origin, read(1))
    await vi.advanceTimersByTimeAsync(1000)
    expect(written).toHaveLength(n + 1)
  }
  expect(written).toEqual([
    ['add-trail', [1]],
    ['add-trail-repeats', [1]],
    ['add-trail-repeats', [1]],
  ])
})

test('what is written belongs to no request', async () => {
  // A fake timer would run in the context of this test, which moves the clock.
  vi.useRealTimers()
  const request = new AsyncLocalStorage<string>()
  const after = async (noteAll: (trail: Trail) => void) => {
    const written = Promise.withResolvers<string | undefined>()
    const trail = trailOf(() => written.resolve(request.getStore()))
    request.run('the request', () => noteAll(trail))
    return written.promise
  }
  expect(await after((trail) => trail.note(origin, read(1)))).toBe(undefined)
  // So many that they are written at once.
  const many = (trail: Trail) => {
    for (let id = 0; id < 2000; id += 1) trail.note(origin, read(id))
  }
  expect(await after(many)).toBe(undefined)
})
