import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { parseRetryAfterMs } from './retry-after.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-01T12:00:00Z') }))
afterEach(() => void vi.useRealTimers())

test.each([
  [429, '0', 0],
  [429, '60', 60_000],
  [503, ' 120 ', 120_000],
  [503, 'Sun, 01 Mar 2026 12:05:00 GMT', 300_000],
  [429, '86400', 3_600_000],
  [503, 'Mon, 01 Mar 2027 12:00:00 GMT', 3_600_000],
  [503, 'Sun, 01 Mar 2026 11:59:00 GMT', undefined],
  [429, 'soon', undefined],
  [429, '', undefined],
  [429, '-5', undefined],
  [500, '60', undefined],
  [200, '60', undefined],
])('%i with Retry-After %j asks for %s ms', (status, text, wait) => {
  expect(parseRetryAfterMs(new Response(null, { status, headers: { 'retry-after': text } }))).toBe(wait)
})

test('nothing is asked for without the header', () => {
  expect(parseRetryAfterMs(new Response(null, { status: 429 }))).toBeUndefined()
})
