import { expect, test } from 'vitest'
import { areComparable, changeOf } from './change.ts'

test.each([
  [1, 2, 'more', '↑', 'better'],
  [2, 1, 'more', '↓', 'worse'],
  [1, 2, 'fewer', '↑', 'worse'],
  [2, 1, 'fewer', '↓', 'better'],
  [2, 2, 'more', '→', 'same'],
] as const)('from %d to %d, where %s is better: %s %s', (from, to, better, arrow, verdict) => {
  expect(changeOf(from, to, better)).toEqual({ arrow, verdict })
})

test.each([
  [24, 30, true],
  [30, 24, true],
  [23, 30, false],
  [30, 0, false],
])('%d and %d of 30 nights: comparable %s', (one, other, are) => {
  expect(areComparable({ nightsCounted: one }, { nightsCounted: other }, 30)).toBe(are)
})
