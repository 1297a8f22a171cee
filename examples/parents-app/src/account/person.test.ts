import { expect, test } from 'vitest'
import { readPerson } from './person'

test('spaces and the form of the birth date are normalised', () => {
  expect(readPerson({ name: ' Hana ', birth: '2018-02-03', gender: 'P' }, '2026-03-01')).toEqual({
    person: { first_name: 'Hana', birthdate: '20180203', gender: 'P' },
    issues: [],
  })
})

test('each invalid field is named', () => {
  expect(readPerson({ name: ' ', birth: undefined, gender: 'F' }, '2026-03-01')).toEqual({
    person: undefined,
    issues: ['name', 'birth'],
  })
})
