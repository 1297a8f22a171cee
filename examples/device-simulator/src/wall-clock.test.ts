import fc from 'fast-check'
import { expect, test } from 'vitest'

import { addDays, dateOfDay, dayNumber, wallClockAtSecond, wallClockHere } from './wall-clock.ts'

test('a wall clock counts seconds after midnight, into the next date where need be', () => {
  expect(wallClockAtSecond('2026-03-07', 0)).toBe('2026-03-07T00:00:00')
  expect(wallClockAtSecond('2026-03-07', 86_399)).toBe('2026-03-07T23:59:59')
  expect(wallClockAtSecond('2026-02-28', 86_400)).toBe('2026-03-01T00:00:00')
})

test('the hour that daylight saving skips exists: the device has no zone', () => {
  expect(wallClockAtSecond('2026-03-08', 2.5 * 3600)).toBe('2026-03-08T02:30:00')
})

test('leap days are days', () => {
  expect(addDays('2024-02-28', 1)).toBe('2024-02-29')
  expect(addDays('2026-03-01', -1)).toBe('2026-02-28')
})

test.each(['2026-02-29', '2026-13-01', '2026-3-1', '2026-03-01T00:00:00', 'today', ''])(
  '%j is no date',
  (text) => {
    expect(() => dayNumber(text)).toThrow(RangeError)
  },
)

test('days and dates are each other the other way round', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100_000 }), (day) => {
      expect(dayNumber(dateOfDay(day))).toBe(day)
    }),
  )
})

test('the wall clock here is that of the time zone of this computer', () => {
  const now = new Date(2026, 2, 1, 0, 5, 9)
  expect(wallClockHere(now)).toBe('2026-03-01T00:05:09')
})
