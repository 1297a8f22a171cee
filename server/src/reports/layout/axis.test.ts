import { expect, test } from 'vitest'
import { axisMaximum } from './axis.ts'

test.each([
  [[20, 21, 24, 26, null, 0], 26],
  // One value off the scale does not flatten the others.
  [[...Array.from({ length: 29 }, (_, n) => 20 + (n % 7)), 32_767], 26],
  [[20, 32_767], 20],
  [[32_767, 32_767], 32_767],
  [[12, 3, 1, 40], 40],
  [[null, 0], 1],
  [[], 1],
])('the scale of %j ends at %i', (values, top) => {
  expect(axisMaximum(values)).toBe(top)
})
