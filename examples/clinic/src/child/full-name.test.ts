import { expect, test } from 'vitest'
import { fullName } from './full-name'

test('a Korean family name comes first, without a space', () => {
  expect(fullName({ first_name: '서윤', last_name: '정' })).toBe('정서윤')
  expect(fullName({ first_name: 'Jiho', last_name: '남궁' })).toBe('남궁Jiho')
})

test('other names stand in their usual order', () => {
  expect(fullName({ first_name: 'Mina', last_name: 'Kim' })).toBe('Mina Kim')
  expect(fullName({ first_name: '하준', last_name: 'Smith' })).toBe('하준 Smith')
  expect(fullName({ first_name: 'Mina', last_name: '' })).toBe('Mina')
})
