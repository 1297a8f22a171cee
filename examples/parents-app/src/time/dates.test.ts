import { expect, test } from 'vitest'
import { addDays, datesUntil, dateExists, today, untilMidnight, wallClock } from './dates'

test('today is the date where the user is', () => {
  expect(today(new Date(2026, 2, 1, 23, 59))).toBe('2026-03-01')
  expect(today(new Date(2026, 2, 1, 0, 1))).toBe('2026-03-01')
})

test('the clock is that of the wall where the user is', () => {
  expect(wallClock(new Date(2026, 2, 1, 9, 5, 7))).toBe('2026-03-01T09:05:07')
})

test('days are added across months, years and clock changes', () => {
  expect(addDays('2026-03-01', -1)).toBe('2026-02-28')
  expect(addDays('2024-02-28', 1)).toBe('2024-02-29')
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01')
  expect(addDays('2026-03-07', 2)).toBe('2026-03-09')
})

test('a window ends with its last date and contains every day', () => {
  expect(datesUntil('2026-03-02', 3)).toEqual(['2026-02-28', '2026-03-01', '2026-03-02'])
  expect(new Set(datesUntil('2026-11-10', 30)).size).toBe(30)
})

test('a date that no calendar has does not exist', () => {
  expect(dateExists('2024-02-29')).toBe(true)
  for (const wrong of ['2026-02-29', '2026-02-30', '2026-13-01', '2026-1-1', ''])
    expect(dateExists(wrong)).toBe(false)
})

test('a day ends at midnight where the user is, also when the clocks change', () => {
  expect(untilMidnight(new Date(2026, 2, 1, 23, 59, 59, 999))).toBe(1)
  expect(untilMidnight(new Date(2026, 11, 31, 23, 0))).toBe(3_600_000)
  for (const date of [
    new Date(2026, 2, 8, 0, 30),
    new Date(2026, 2, 29, 0, 30),
    new Date(2026, 9, 25, 0, 30),
  ])
    expect(today(new Date(date.getTime() + untilMidnight(date)))).toBe(addDays(today(date), 1))
})
