import { expect, test } from 'vitest'
import { ageOn, toBirthdate } from './birthdate'

test('a date may be typed in any usual form', () => {
  for (const typed of ['2018-02-03', '2018.2.3', '2018. 2. 3.', '2018/02/03', '20180203', ' 2018 2 3 '])
    expect(toBirthdate(typed, '2026-03-01')).toBe('20180203')
})

test('text that is not a birth date gives undefined', () => {
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

test('the age changes on the birthday itself', () => {
  expect(ageOn('20180203', '2026-02-02')).toBe(7)
  expect(ageOn('20180203', '2026-02-03')).toBe(8)
})
