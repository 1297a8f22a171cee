import { expect, test } from 'vitest'
import { formatPhone, toE164 } from './phone'

test('national numbers get their calling code', () => {
  expect(toE164('KR', '010-1234-5678')).toBe('+821012345678')
  expect(toE164('KR', '10 1234 5678')).toBe('+821012345678')
  expect(toE164('US', '(212) 555-0123')).toBe('+12125550123')
})

test('a typed calling code is kept', () => {
  expect(toE164('US', '+82 10 1234 5678')).toBe('+821012345678')
})

test('text that is not a phone number gives undefined', () => {
  for (const typed of ['', '12', 'abc', '010-12345678x', '+0123456789'])
    expect(toE164('KR', typed)).toBeUndefined()
})

test('a number is shown as its owner writes it', () => {
  expect(
    ['+821012345678', '+82111234567', '+12125550123', '+8227001234', '+447700900123'].map(formatPhone),
  ).toEqual(['010-1234-5678', '011-123-4567', '(212) 555-0123', '+8227001234', '+447700900123'])
})
