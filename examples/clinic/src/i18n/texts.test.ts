import { expect, test } from 'vitest'
import { en } from './en'
import { ko } from './ko'

/** The names of all texts, and of those below them. */
const names = (texts: object, path = ''): string[] =>
  Object.entries(texts).flatMap(([name, text]: [string, unknown]) =>
    typeof text === 'object' && text !== null ? names(text, `${path}${name}.`) : [`${path}${name}`],
  )

const valuesOf = (texts: object): unknown[] =>
  Object.values(texts).flatMap((text: unknown) =>
    typeof text === 'object' && text !== null ? valuesOf(text) : [text],
  )

test('both languages have the same texts, and every error has words in both', () => {
  expect(names(ko)).toEqual(names(en))
})

test('Korean texts are Korean', () => {
  const texts = valuesOf(ko).filter((text): text is string => typeof text === 'string')
  expect(texts.filter((text) => /[A-Za-z]{4}/.test(text) && !/[가-힣]/.test(text))).toEqual(['Enter'])
})

test('one night is no nights', () => {
  expect(en.child.weekOf(1, 5)).toBe('1 night used, 5 planned')
  expect(en.child.weekOf(2, null)).toBe('2 nights used')
})
