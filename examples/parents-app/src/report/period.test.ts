import { expect, test } from 'vitest'
import { periodEndingOn } from './period'

test.each([
  ['2026-03-31', 1, '2026-03-01'],
  ['2026-03-14', 1, '2026-02-15'],
  ['2026-03-30', 1, '2026-02-28'],
  ['2026-01-10', 3, '2025-10-11'],
  ['2026-12-31', 2, '2026-11-01'],
])('%s, %i months: from %s', (last, months, start_date) => {
  expect(periodEndingOn(last, months)).toEqual({ start_date, end_date: last })
})
