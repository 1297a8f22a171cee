import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { cursorOf, pageCursorField } from './page-cursor.ts'

const cursor = pageCursorField(z.tuple([z.int().min(0), z.string().regex(/^[\w.]{1,100}$/)]))
const place = fc.tuple(fc.nat(), fc.stringMatching(/^[\w.]{1,100}$/))

test('a cursor is read as it was written', () => {
  fc.assert(
    fc.property(place, (written) => {
      expect(cursor.parse(cursorOf(written))).toEqual(written)
    }),
  )
})

test('any other text is refused', () => {
  const of = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  for (const value of [[], [1], [-1, 'x'], [1, "'"], [1, 'x', 2], {}, null, 'x'])
    expect(cursor.safeParse(of(value)).success).toBe(false)
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(cursor.safeParse(text).success).toBe(false)
    }),
  )
  // The same bytes, written in another way.
  fc.assert(
    fc.property(place, (written) => {
      expect(cursor.safeParse(`${cursorOf(written)}=`).success).toBe(false)
    }),
  )
})
