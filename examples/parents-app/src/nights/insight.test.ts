import { expect, test } from 'vitest'
import { compareNightLength, isSilent, silentNights } from './insight'

test('a quarter of an hour more or less is a difference', () => {
  expect(compareNightLength(434, 420)).toEqual({ kind: 'usual', difference: 14 })
  expect(compareNightLength(435, 420)).toEqual({ kind: 'more', difference: 15 })
  expect(compareNightLength(405, 420)).toEqual({ kind: 'less', difference: 15 })
})

test('silent nights are those from the newest record to yesterday', () => {
  const since = (newest: string | undefined) => silentNights(newest, '2026-11-24', 30)
  expect(since('2026-11-23')).toBe(0)
  expect(since('2026-11-24')).toBe(0)
  expect(since('2026-11-22')).toBe(1)
  expect(since('2026-11-20')).toBe(3)
  expect(since(undefined)).toBe(30)
  expect([2, 3].map(isSilent)).toEqual([false, true])
})
