import { expect, test } from 'vitest'
import { noon } from '../time/dates'
import { monthGrid, moveMonth } from './month-grid'

test('a month that starts on a Sunday and has 28 days is four full weeks', () => {
  const weeks = monthGrid({ year: 2026, month: 2 })
  expect(weeks).toHaveLength(4)
  expect(weeks.flat()).not.toContain(null)
})

test('every day of a month appears once, in its column', () => {
  for (let month = 1; month <= 12; month++) {
    const weeks = monthGrid({ year: 2024, month })
    const days = weeks.flat().filter((date) => date !== null)
    expect(days).toHaveLength(new Date(2024, month, 0).getDate())
    for (const week of weeks) {
      expect(week).toHaveLength(7)
      expect(week.every((date, column) => date === null || noon(date).getUTCDay() === column)).toBe(true)
    }
  }
})

test('months follow each other across the year', () => {
  expect(moveMonth({ year: 2026, month: 12 }, 1)).toEqual({ year: 2027, month: 1 })
  expect(moveMonth({ year: 2026, month: 1 }, -1)).toEqual({ year: 2025, month: 12 })
  expect(moveMonth({ year: 2026, month: 5 }, 0)).toEqual({ year: 2026, month: 5 })
})
