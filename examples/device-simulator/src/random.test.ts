import fc from 'fast-check'
import { expect, test } from 'vitest'

import { createRandom, shuffled } from './random.ts'

test('the same seed gives the same numbers, another seed or purpose others', () => {
  const numbers = (...seed: (string | number)[]): number[] => {
    const random = createRandom(...seed)
    return Array.from({ length: 50 }, () => random.next())
  }
  expect(numbers(7, 'cut')).toEqual(numbers(7, 'cut'))
  expect(numbers(7, 'cut')).not.toEqual(numbers(8, 'cut'))
  expect(numbers(7, 'cut')).not.toEqual(numbers(7, 'shuffle'))
})

test('numbers spread evenly over 0 to 1', () => {
  const random = createRandom(1)
  const tenths = Array.from({ length: 10 }, () => 0)
  for (let draw = 0; draw < 100_000; draw += 1) {
    const tenth = Math.floor(random.next() * 10)
    tenths[tenth] = (tenths[tenth] ?? 0) + 1
  }
  expect(tenths).toHaveLength(10)
  for (const count of tenths) expect(Math.abs(count - 10_000)).toBeLessThan(500)
})

test('integers keep to their bounds and reach both', () => {
  const random = createRandom(3)
  const drawn = new Set(Array.from({ length: 500 }, () => random.integer(-2, 2)))
  expect([...drawn].toSorted((a, b) => a - b)).toEqual([-2, -1, 0, 1, 2])
})

test('a rate of 0 never happens, of 1 always', () => {
  const random = createRandom(4)
  const draws = (rate: number): boolean[] => Array.from({ length: 1000 }, () => random.chance(rate))
  expect(draws(0)).not.toContain(true)
  expect(draws(1)).not.toContain(false)
})

test('shuffling keeps every value', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.integer(), (values, seed) => {
      const byValue = (a: number, b: number): number => a - b
      expect(shuffled(values, createRandom(seed)).toSorted(byValue)).toEqual([...values].toSorted(byValue))
    }),
  )
})
