import { expect, test } from 'vitest'
import { addDays, datesUntil, exists, today } from './dates'

test('today is the day where the user is', () => {
  expect(today(new Date(2026, 2, 1, 23, 59))).toBe('2026-03-01')
  expect(today(new Date(2026, 2, 1, 0, 1))).toBe('2026-03-01')
})

test('days are added over months, years and clock changes', () => {
  expect(addDays('2026-03-01', -1)).toBe('2026-02-28')
  expect(addDays('2024-02-28', 1)).toBe('2024-02-29')
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01')
  expect(addDays('2026-03-07', 2)).toBe('2026-03-09')
})

test('a window ends with its last date and has all of its days', () => {
  expect(datesUntil('2026-03-02', 3)).toEqual(['2026-02-28', '2026-03-01', '2026-03-02'])
  expect(new Set(datesUntil('2026-11-10', 30)).size).toBe(30)
})

test('days that no calendar has do not exist', () => {
  expect(exists('2024-02-29')).toBe(true)
  for (const wrong of ['2026-02-29', '2026-02-30', '2026-13-01', '2026-1-1', ''])
    expect(exists(wrong)).toBe(false)
})
