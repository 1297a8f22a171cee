import { expect, test } from 'vitest'
import { ageOn, birthdateToDate, toBirthdate } from './birthdate'

test('a birth date goes to the service and back', () => {
  expect(toBirthdate('2018-02-03', '2026-03-01')).toBe('20180203')
  expect(birthdateToDate('20180203')).toBe('2018-02-03')
})

test('a date that does not exist, is to come or is too old is no birth date', () => {
  for (const date of [undefined, '', '2018-02-30', '2026-03-02', '1812-01-01'])
    expect(toBirthdate(date, '2026-03-01')).toBeUndefined()
})

test('the age changes on the birthday itself', () => {
  expect(ageOn('20180203', '2026-02-02')).toBe(7)
  expect(ageOn('20180203', '2026-02-03')).toBe(8)
})
