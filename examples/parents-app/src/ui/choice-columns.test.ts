import { expect, test } from 'vitest'
import { columnsFor } from './choice-columns'

const genders = ['Female', 'Male', 'Non-binary', 'Prefer not to say']

test('names share one row as long as each fits in two lines', () => {
  expect(columnsFor(genders, 520, 1)).toBe(4)
  expect(columnsFor(['Female', 'Male', 'Prefer not to say'], 350, 1)).toBe(3)
  expect(columnsFor(['온도', '습도', '밝기', '소음'], 244, 1)).toBe(4)
})

test('seven digits leave room for a finger each', () => {
  const days = ['1', '2', '3', '4', '5', '6', '7']
  expect(columnsFor(days, 350, 1)).toBe(7)
  expect(columnsFor(days, 306, 1)).toBe(4)
  expect(columnsFor(days, 244, 1)).toBe(4)
  expect(columnsFor(days, 150, 2)).toBe(1)
})

test('four names that do not fit form two columns, and one column if even that is too narrow', () => {
  expect(columnsFor(genders, 314, 1)).toBe(2)
  expect(columnsFor(genders, 244, 1)).toBe(2)
  expect(columnsFor(genders, 244, 2)).toBe(1)
  expect(columnsFor(['1 month', '2 months', '3 months'], 350, 2)).toBe(3)
  expect(columnsFor(['System', '한국어', 'English'], 244, 2)).toBe(1)
})
