import { expect, test } from 'vitest'
import { addDays, addMonths, ageOn, dateOf, addMonthsToDate, weeksOf } from './dates'

test('days and months are added across the ends of years', () => {
  expect(addDays('2026-03-01', -1)).toBe('2026-02-28')
  expect(addDays('2024-02-28', 1)).toBe('2024-02-29')
  expect(addMonths('2026-01', -1)).toBe('2025-12')
  expect(addMonths('2025-12', 1)).toBe('2026-01')
  expect(addMonthsToDate('2026-05-31', -3)).toBe('2026-02-28')
  expect(addMonthsToDate('2026-03-15', -3)).toBe('2025-12-15')
})

test('today is the date on this computer', () => {
  expect(dateOf(new Date(2026, 0, 5, 0, 30))).toBe('2026-01-05')
  expect(dateOf(new Date(2026, 11, 31, 23, 59))).toBe('2026-12-31')
})

test('weeks run from Sunday to Saturday, and hold the days of the month alone', () => {
  const weeks = weeksOf('2026-02')
  expect(weeks).toHaveLength(4)
  expect(weeks[0]).toEqual([1, 2, 3, 4, 5, 6, 7].map((day) => `2026-02-0${day}`))
  const august = weeksOf('2026-08')
  expect(august).toHaveLength(6)
  expect(august[0]).toEqual([...Array.from({ length: 6 }, () => undefined), '2026-08-01'])
  expect(august[5]?.slice(0, 3)).toEqual(['2026-08-30', '2026-08-31', undefined])
})

test('an age is in years, and in months below two', () => {
  expect(ageOn('2026-11-26', '20180203')).toEqual({ unit: 'years', count: 8 })
  expect(ageOn('2026-02-02', '20180203')).toEqual({ unit: 'years', count: 7 })
  expect(ageOn('2026-02-02', '20250303')).toEqual({ unit: 'months', count: 10 })
  expect(ageOn('2026-02-02', '20270101')).toBeUndefined()
  expect(ageOn('2026-02-02', '')).toBeUndefined()
})
