import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { crc32OfBoth } from './crc32-of-both.ts'

test('is what zlib says of the whole', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.nat(200_000).map((length) => new Uint8Array(length).fill(length)),
  )
  fc.assert(
    fc.property(bytes, bytes, (one, other) => {
      expect(crc32OfBoth(crc32(one), crc32(other), other.length)).toBe(crc32(Buffer.concat([one, other])))
    }),
  )
})

test('of nothing before it is that of the second', () =>
  expect(crc32OfBoth(0, 0xdeadbeef, 5)).toBe(0xdeadbeef))
