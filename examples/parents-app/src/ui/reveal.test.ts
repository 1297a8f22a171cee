import { expect, test } from 'vitest'
import { scrollTo } from './reveal'

const shown = { top: 500, height: 400 }

test('a page scrolls up as well as down, no farther than needed', () => {
  expect(scrollTo(520, 100, shown)).toBeUndefined()
  expect(scrollTo(100, 80, shown)).toBe(84)
  expect(scrollTo(4, 80, shown)).toBe(0)
  expect(scrollTo(880, 80, shown)).toBe(576)
  expect(scrollTo(880, 900, shown)).toBe(864)
})
