import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readCursor, writeCursor } from './access-cursor.ts'

test('a cursor is read as it was written', () => {
  fc.assert(
    fc.property(
      fc.record({
        hour: fc.integer({ min: 0, max: 253_402_300_799 }),
        memberId: fc.nat(2 ** 31 - 1),
        operation: fc.stringMatching(/^[\w.]{1,100}$/),
      }),
      (place) => {
        expect(readCursor(writeCursor(place))).toEqual(place)
      },
    ),
  )
})

test('any other text is none', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(readCursor(text)).toBeUndefined()
    }),
  )
  for (const place of [
    [],
    [1],
    [1, 2],
    [1, 2, 3],
    [1, 2, 'x', 4],
    [-1, 2, 'x'],
    [1, 2 ** 31, 'x'],
    [1, 2, "'"],
    {},
    null,
  ])
    expect(readCursor(Buffer.from(JSON.stringify(place)).toString('base64url'))).toBeUndefined()
})
