import { expect, test } from 'vitest'
import { axisTop, isLabelled, runs, secondsUnit, series } from './series'

const points = series('2026-03-03', 4, [
  ['2026-02-28', 20],
  ['2026-03-02T00:00:00', 41],
  ['2026-03-03', 0],
])

test('every date of the window is there, and only those have values that have data', () => {
  expect(points).toEqual([
    { date: '2026-02-28', value: 20 },
    { date: '2026-03-01', value: null },
    { date: '2026-03-02', value: 41 },
    { date: '2026-03-03', value: 0 },
  ])
})

test('the axis ends at a round number that holds all values', () => {
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

test('lines stop at nights without data', () => {
  expect(runs(points)).toEqual([
    [{ index: 0, value: 20 }],
    [
      { index: 2, value: 41 },
      { index: 3, value: 0 },
    ],
  ])
  expect(runs([])).toEqual([])
})

test('the newest date is always named', () => {
  expect([0, 6].map((index) => isLabelled(index, 7))).toEqual([true, true])
  expect(Array.from({ length: 30 }, (_, index) => index).filter((index) => isLabelled(index, 30))).toEqual([
    1, 8, 15, 22, 29,
  ])
})
