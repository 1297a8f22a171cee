import { expect, test } from 'vitest'
import { ageOn, toBirthdate } from './birthdate'

test('dates are understood however they are typed', () => {
  for (const typed of ['2018-02-03', '2018.2.3', '2018. 2. 3.', '2018/02/03', '20180203', ' 2018 2 3 '])
    expect(toBirthdate(typed, '2026-03-01')).toBe('20180203')
})

test('what is no birth date is none', () => {
  for (const typed of [
    '',
    '2018',
    '201823',
    '2018-02-30',
    '18-02-03',
    '2026-03-02',
    '1812-01-01',
    '2018-0203x',
  ])
    expect(toBirthdate(typed, '2026-03-01')).toBeUndefined()
})

test('a birthday counts from its day on', () => {
  expect(ageOn('20180203', '2026-02-02')).toBe(7)
  expect(ageOn('20180203', '2026-02-03')).toBe(8)
})
