import { afterEach, expect, test, vi } from 'vitest'
import { randomKey } from './random-key.ts'

afterEach(() => void vi.unstubAllGlobals())

test.each([
  ['with crypto', undefined],
  ['without crypto', {}],
])('no key is made twice %s', (_how, crypto) => {
  if (crypto) vi.stubGlobal('crypto', crypto)
  const keys = Array.from({ length: 20_000 }, randomKey)
  expect(new Set(keys).size).toBe(keys.length)
  expect(keys.every((key) => /^[0-9a-f]{32}$/.test(key))).toBe(true)
})

test('nor when there is no crypto at all', () => {
  vi.stubGlobal('crypto', undefined)
  expect(randomKey()).toMatch(/^[0-9a-f]{32}$/)
})
