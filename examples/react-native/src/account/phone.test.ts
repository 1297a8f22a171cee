import { expect, test } from 'vitest'
import { toE164 } from './phone'

test('national numbers get their calling code', () => {
  expect(toE164('KR', '010-1234-5678')).toBe('+821012345678')
  expect(toE164('KR', '10 1234 5678')).toBe('+821012345678')
  expect(toE164('US', '(212) 555-0123')).toBe('+12125550123')
})

test('a calling code that was typed is kept', () => {
  expect(toE164('US', '+82 10 1234 5678')).toBe('+821012345678')
})

test('what cannot be a number is none', () => {
  for (const typed of ['', '12', 'abc', '010-12345678x', '+0123456789'])
    expect(toE164('KR', typed)).toBeUndefined()
})
