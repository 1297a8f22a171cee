import fc from 'fast-check'
import { expect, test } from 'vitest'
import { requestedRange } from './byte-range.ts'

const rangeOf = (range?: string, condition?: string) =>
  requestedRange(
    {
      ...(range === undefined ? {} : { range }),
      ...(condition === undefined ? {} : { 'if-range': condition }),
    },
    10,
    '"a"',
  )

test.each([
  ['bytes=0-', { first: 0, last: 9 }],
  ['bytes=3-5', { first: 3, last: 5 }],
  ['bytes=9-', { first: 9, last: 9 }],
  ['bytes=3-99', { first: 3, last: 9 }],
  ['bytes=-4', { first: 6, last: 9 }],
  ['bytes=-99', { first: 0, last: 9 }],
  ['bytes=10-', 'beyond'],
  ['bytes=-0', 'beyond'],
  ['bytes=5-3', undefined],
  ['bytes=-', undefined],
  ['bytes=0-1,3-4', undefined],
  ['items=0-1', undefined],
  [undefined, undefined],
])('%s', (range, expected) => expect(rangeOf(range)).toEqual(expected))

test('a range of a file that has changed is the whole file', () => {
  expect(rangeOf('bytes=3-', '"a"')).toEqual({ first: 3, last: 9 })
  expect(rangeOf('bytes=3-', '"b"')).toBeUndefined()
})

test('a range never leaves the file', () => {
  const isWithin = (range: ReturnType<typeof rangeOf>) =>
    typeof range !== 'object' || (0 <= range.first && range.first <= range.last && range.last < 10)
  fc.assert(
    fc.property(fc.string(), fc.nat(20), fc.nat(20), (noise, from, to) => {
      for (const text of [noise, `bytes=${from}-${to}`, `bytes=-${to}`, `bytes=${from}-`])
        expect(rangeOf(text)).toSatisfy(isWithin)
    }),
  )
})
