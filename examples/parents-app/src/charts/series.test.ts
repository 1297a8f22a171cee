import { expect, test } from 'vitest'
import {
  axisTop,
  coverage,
  closeRange,
  isLabelled,
  nearestIndex,
  lineSegments,
  secondsUnit,
  dailyPoints,
} from './series'

const points = dailyPoints('2026-03-03', 4, [
  ['2026-02-28', 20],
  ['2026-03-02T00:00:00', 41],
  ['2026-03-03', 0],
])

test('every date of the window is there; dates without data have no value', () => {
  expect(points).toEqual([
    { date: '2026-02-28', value: 20 },
    { date: '2026-03-01', value: null },
    { date: '2026-03-02', value: 41 },
    { date: '2026-03-03', value: 0 },
  ])
})

test('the axis ends at a round number at or above all values', () => {
  const top = (value: number, unit = 1) => axisTop([{ date: '2026-03-01', value }], unit)
  expect(axisTop(points, 1)).toBe(60)
  expect(top(60)).toBe(60)
  expect(top(12.3)).toBe(16)
  expect(top(101)).toBe(120)
  expect(top(0.4)).toBe(0.4)
  expect(axisTop([], 1)).toBe(1)
  expect(top(29_000, secondsUnit([{ date: '2026-03-01', value: 29_000 }]))).toBe(10 * 3_600)
  expect(top(1_080, secondsUnit([{ date: '2026-03-01', value: 1_080 }]))).toBe(20 * 60)
})

test('an axis that does not start at 0 has round ends around all values', () => {
  const range = (...values: (number | null)[]) =>
    closeRange(values.map((value) => ({ date: '2026-03-01', value })))
  expect(range(20.4, null, 23.9)).toEqual({ bottom: 20, top: 24 })
  expect(range(21.1)).toEqual({ bottom: 21, top: 23 })
  expect(range(-3, 12)).toEqual({ bottom: -20, top: 20 })
  expect(range(66, 76)).toEqual({ bottom: 60, top: 80 })
})

test('the longest gap lies between two dates with data', () => {
  const covered = (...values: (number | null)[]) =>
    coverage(values.map((value) => ({ date: '2026-03-01', value })))
  expect(covered(null, 1, null, null, 0, null, 2, null, null, null)).toEqual({ known: 3, longestGap: 2 })
  expect(covered(null, null)).toEqual({ known: 0, longestGap: 0 })
})

test('the nearest date is chosen, also at the edges', () => {
  expect([-5, 0, 9, 10, 299, 300, 900].map((x) => nearestIndex(x, 300, 30))).toEqual([0, 0, 0, 1, 29, 29, 29])
})

test('lines stop at nights without data', () => {
  expect(lineSegments(points)).toEqual([
    [{ index: 0, value: 20 }],
    [
      { index: 2, value: 41 },
      { index: 3, value: 0 },
    ],
  ])
  expect(lineSegments([])).toEqual([])
})

test('the newest date always has a label', () => {
  expect([0, 6].map((index) => isLabelled(index, 7, true))).toEqual([true, true])
  const labelled = (count: number, isTight: boolean) =>
    Array.from({ length: count }, (_, index) => index).filter((index) => isLabelled(index, count, isTight))
  expect(labelled(30, true)).toEqual([1, 8, 15, 22, 29])
  expect(labelled(90, false)).toEqual([14, 29, 44, 59, 74, 89])
  expect(labelled(90, true)).toEqual([29, 59, 89])
})
