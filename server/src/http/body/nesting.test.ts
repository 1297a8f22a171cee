import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { nestingDepth } from './nesting.ts'

const levels = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map((each) => levels(each)))
    : 0

test('JSON is as deep as the value that it stands for', () => {
  const awkward = fc.constantFrom('[[[', '}{', '"', '\\', '\\"', '\\\\"[', '\u005b', 'é"[')
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      awkward,
      fc.jsonValue(),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(awkward, fc.string()), tie('value'), { maxKeys: 3 }),
    ),
  }))
  fc.assert(
    fc.property(value, fc.boolean(), (any, isSpaced) => {
      const json = Buffer.from(JSON.stringify(any, undefined, isSpaced ? 1 : 0))
      expect(nestingDepth(json)).toEqual({ deepest: levels(any), open: 0 })
    }),
  )
})

test.each([
  ['[[', 2],
  ['{"a":[', 2],
  ['[[]', 1],
  ['[["]]', 2],
])('an end that is missing is counted: %s', (json, open) => {
  expect(nestingDepth(Buffer.from(json))).toEqual({ deepest: 2, open })
})
