import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countDays, periodOfMonths } from './report-period.ts'
import { addDays, daysInMonth } from './wall-clock.ts'

const anyDay = fc
  .record({
    year: fc.integer({ min: 1, max: 9998 }),
    month: fc.integer({ min: 1, max: 12 }),
    part: fc.nat(30),
  })
  .map(({ year, month, part }) => {
    const day = (part % daysInMonth(year, month)) + 1
    return [String(year).padStart(4, '0'), ...[month, day].map((each) => String(each).padStart(2, '0'))].join(
      '-',
    )
  })

describe('months from a day', () => {
  test.each([
    ['2026-08-20', 1, '2026-09-19'],
    ['2026-08-01', 1, '2026-08-31'],
    ['2026-01-31', 1, '2026-02-27'],
    ['2024-01-31', 1, '2024-02-28'],
    ['2026-01-29', 1, '2026-02-27'],
    ['2026-12-31', 2, '2027-02-27'],
    ['2026-11-30', 3, '2027-02-27'],
    ['2026-10-15', 3, '2027-01-14'],
    ['9999-12-02', 1, '9999-12-31'],
  ])('%s and %i end with %s', (first, months, last) => {
    expect(periodOfMonths(first, months)).toEqual({ first, last })
  })

  test('end the day before the same day, or before the last of a shorter month', () => {
    fc.assert(
      fc.property(anyDay, fc.integer({ min: 1, max: 3 }), (first, months) => {
        const next = addDays(periodOfMonths(first, months).last, 1)
        const [year = 0, month = 0, day = 0] = next.split('-').map(Number)
        const [firstYear = 0, firstMonth = 0, firstDay = 0] = first.split('-').map(Number)
        expect(12 * (year - firstYear) + month - firstMonth).toBe(months)
        expect(day).toBe(Math.min(firstDay, daysInMonth(year, month)))
      }),
    )
  })
})

test('days are counted with both ends', () => {
  expect(countDays({ first: '2024-02-28', last: '2024-02-28' })).toBe(1)
  expect(countDays({ first: '2024-01-01', last: '2024-12-31' })).toBe(366)
  fc.assert(
    fc.property(anyDay, fc.integer({ min: 0, max: 366 }), (first, days) => {
      const last = addDays(first, days)
      fc.pre(last < '9999-12-31')
      expect(countDays({ first, last })).toBe(days + 1)
    }),
  )
})
