import { expect, test } from 'vitest'
import { describeFailure, describeOutboxError } from './describe-failure'
import { en } from './en'
import { ko } from './ko'

const paths = (value: object, at = ''): string[] =>
  Object.entries(value).flatMap(([key, text]: [string, unknown]) =>
    typeof text === 'object' && text !== null ? paths(text, `${at}${key}/`) : [`${at}${key}`],
  )

test('both languages have the same texts, failures included', () => {
  expect(paths(ko).sort()).toEqual(paths(en).sort())
})

test('an error is described in the language of the user', () => {
  const refused = { data: { status: 404, detail: 'Not Found Device' } }
  expect(describeFailure(refused, en)).toBe('No device has these codes. Please check the label.')
  expect(describeFailure(refused, ko)).toBe('일치하는 기기가 없습니다. 라벨을 확인해 주세요.')
})

test('an error in the outbox is described in the same words', () => {
  const detail = 'Event was changed meanwhile'
  expect(describeOutboxError({ status: 412, detail }, en)).toBe(en.failures[detail])
  expect(describeOutboxError({ status: 422, detail: '[{"loc":["body","memo"]}]' }, en)).toBe(en.invalidInput)
  expect(describeOutboxError({ detail: '?' }, ko)).toBe(ko.unexpected)
})

test('a missing connection, invalid input and unexpected errors have their own texts', () => {
  expect(describeFailure({ cause: { name: 'CompanionUnreachable' } }, en)).toBe(en.states.offline)
  expect(describeFailure({ data: { status: 422, detail: [{ loc: ['body', 'memo'] }] } }, en)).toBe(
    en.invalidInput,
  )
  for (const odd of [
    undefined,
    new Error('x'),
    { data: { detail: 'toString' } },
    { data: { status: 500, detail: '?' } },
  ])
    expect(describeFailure(odd, en)).toBe(en.unexpected)
})
