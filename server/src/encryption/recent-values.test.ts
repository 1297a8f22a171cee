import { expect, test } from 'vitest'
import { createRecentValues } from './recent-values.ts'

test('as many values are remembered as the bytes suffice for, the last ones', () => {
  // Of 161 bytes each, so 100 to 200.
  const recent = createRecentValues(16_000)
  for (let n = 0; n < 1000; n += 1) recent.set('name', `value ${n}`, 'A')
  expect(recent.get('name', 'value 910')).toBe('A')
  expect(recent.get('name', 'value 790')).toBeUndefined()
})

test('a value that is asked for again and again stays', () => {
  const recent = createRecentValues(16_000)
  recent.set('name', 'asked for', 'A')
  for (let n = 0; n < 1000; n += 1) {
    recent.set('name', `value ${n}`, 'B')
    expect(recent.get('name', 'asked for')).toBe('A')
  }
})

test('a value is of its column, and a long one is not remembered', () => {
  const recent = createRecentValues()
  recent.set('name', 'stored', 'A')
  expect(recent.get('memo', 'stored')).toBeUndefined()
  recent.set('name', 'x'.repeat(513), 'A')
  expect(recent.get('name', 'x'.repeat(513))).toBeUndefined()
})
