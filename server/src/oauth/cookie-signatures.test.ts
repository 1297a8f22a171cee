import { expect, test } from 'vitest'
import { cookieSignatures } from './cookie-signatures.ts'

const COOKIE = 'companion_oauth=x'

test('a signature is that of the first key, and has 256 bits', () => {
  const signed = cookieSignatures(['new', 'old']).sign(COOKIE)
  expect(signed).toBe(cookieSignatures(['new']).sign(COOKIE))
  expect(signed).toMatch(/^[\w-]{43}$/)
})

test('a cookie that another key has signed is known by the place of this key', () => {
  const now = cookieSignatures(['new', 'old'])
  expect(
    ['new', 'old', 'other'].map((key) => now.index(COOKIE, cookieSignatures([key]).sign(COOKIE))),
  ).toEqual([0, 1, -1])
  expect(now.verify(COOKIE, cookieSignatures(['old']).sign(COOKIE))).toBe(true)
})

test.each(['', 'x', 'x'.repeat(43), '가'.repeat(43)])('%j is no signature', (given) => {
  expect(cookieSignatures(['key']).verify(COOKIE, given)).toBe(false)
})

test('a signature is worth nothing for another cookie', () => {
  const { sign, verify } = cookieSignatures(['key'])
  expect(verify(`${COOKIE}y`, sign(COOKIE))).toBe(false)
})
