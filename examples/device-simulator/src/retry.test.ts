import fc from 'fast-check'
import { expect, test } from 'vitest'

import { createRandom } from './random.ts'
import { DEFAULT_RETRY_POLICY as policy, parseRetryAfter, pauseAfter } from './retry.ts'

const now = new Date('2026-03-05T12:00:00Z')

test('pauses grow, differ from device to device and stay bounded', () => {
  const patient = { ...policy, attempts: 30 }
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 29 }), (seed, attempt) => {
      const longest = Math.min(30_000, 500 * 2 ** (attempt - 1))
      const pause = pauseAfter(attempt, null, patient, createRandom(seed))
      expect(pause).toBeGreaterThanOrEqual(longest / 2)
      expect(pause).toBeLessThanOrEqual(longest)
    }),
  )
  expect(pauseAfter(4, null, policy, createRandom(1))).not.toBe(pauseAfter(4, null, policy, createRandom(2)))
})

test('gives up after the last try', () => {
  expect(pauseAfter(5, null, policy, createRandom(1))).not.toBeNull()
  expect(pauseAfter(6, null, policy, createRandom(1))).toBeNull()
  expect(pauseAfter(6, 1000, policy, createRandom(1))).toBeNull()
})

test('a Retry-After is never undercut, and one beyond all timeout is not waited for', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 0, max: policy.longestRetryAfter }), (seed, asked) => {
      expect(pauseAfter(1, asked, policy, createRandom(seed))).toBeGreaterThanOrEqual(asked)
    }),
  )
  expect(pauseAfter(1, policy.longestRetryAfter + 1, policy, createRandom(1))).toBeNull()
})

test.each([
  ['0', 0],
  ['7', 7000],
  [' 7 ', 7000],
  ['Thu, 05 Mar 2026 12:00:30 GMT', 30_000],
  ['Thu, 05 Mar 2026 11:00:00 GMT', 0],
  ['soon', null],
  ['-1', null],
  ['1.5', null],
  ['', null],
  [null, null],
])('Retry-After %j means %j ms', (header, milliseconds) => {
  expect(parseRetryAfter(header, now)).toBe(milliseconds)
})
