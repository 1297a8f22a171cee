import { expect, test } from 'vitest'
import { isPassword } from './password'

test('a password has 8 to 128 code points', () => {
  expect(['😀'.repeat(7), '😀'.repeat(8), 'x'.repeat(128), 'x'.repeat(129)].map(isPassword)).toEqual([
    false,
    true,
    true,
    false,
  ])
})
