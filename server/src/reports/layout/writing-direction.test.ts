import { expect, test } from 'vitest'
import { RIGHT_TO_LEFT } from './fonts.ts'
import { inVisualOrder, isRightToLeft } from './writing-direction.ts'

test.each([
  ['plain 가나다', ['plain 가나다']],
  ['שלום עולם', ['עולם', ' ', 'שלום']],
  // Numbers keep their order, and brackets open to the other side.
  ['שעות 12:30 (בערך)', ['(', 'בערך', ')', ' ', '12:30', ' ', 'שעות']],
  ['took ميلاتونين at 9', ['took ', 'ميلاتونين', ' at 9']],
  // Digits of the Arabic script, too, run from left to right.
  ['۱۲ گھنٹے', ['گھنٹے', ' ', '۱', '۲']],
])('%j stands from left to right as %j', (text, parts) => {
  expect(inVisualOrder(text)).toEqual(parts)
})

test('a later line of a paragraph keeps its direction though it begins with another script', () => {
  expect(inVisualOrder(`${RIGHT_TO_LEFT}3 mg ميلاتونين`)).toEqual(['ميلاتونين', ' ', 'mg', ' ', '3'])
  expect(isRightToLeft('3 ميلاتونين mg')).toBe(true)
  expect(isRightToLeft('mg ميلاتونين')).toBe(false)
})
