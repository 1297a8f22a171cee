import { expect, test } from 'vitest'
import { scrollPositionFor } from './reveal'

const shown = { top: 500, height: 400 }

test('a page scrolls up as well as down, no farther than needed', () => {
  expect(scrollPositionFor(520, 100, shown)).toBeUndefined()
  expect(scrollPositionFor(100, 80, shown)).toBe(84)
  expect(scrollPositionFor(4, 80, shown)).toBe(0)
  expect(scrollPositionFor(880, 80, shown)).toBe(576)
  expect(scrollPositionFor(880, 900, shown)).toBe(864)
})
