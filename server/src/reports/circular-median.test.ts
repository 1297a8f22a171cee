import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { circularMedian } from './circular-median.ts'

const at = (clock: string) => {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number)
  return 60 * hours + minutes
}

const anyTime = fc.integer({ min: 0, max: 1439 })
const between = (one: number, other: number) => {
  const apart = Math.abs(one - other) % 1440
  return Math.min(apart, 1440 - apart)
}

describe('the circular median', () => {
  test.each([
    [[], undefined],
    [['21:30'], '21:30'],
    [['21:00', '21:30', '23:00'], '21:30'],
    [['23:40', '23:50', '00:10'], '23:50'],
    [['23:50', '00:10'], '00:00'],
    [['23:00', '01:00', '00:30', '23:30'], '00:00'],
    [['12:10', '11:50', '12:00'], '12:00'],
    // A single far-off evening moves the median no further than one a little later does.
    [['21:00', '21:00', '21:10', '03:00'], '21:05'],
  ])('of %j is %s', (times, expected) => {
    expect(circularMedian(times.map(at))).toBe(expected && at(expected))
  })

  test('lies on the clock, and turns with it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 40 }),
        anyTime,
        (times, turn) => {
          const median = circularMedian(times) ?? -1
          const turned = circularMedian(times.map((time) => (time + turn) % 1440)) ?? -1
          expect(turned).toBeGreaterThanOrEqual(0)
          expect(turned).toBeLessThan(1440)
          // Half minutes may round in either direction after the turn.
          expect(between(turned, (median + turn) % 1440)).toBeLessThanOrEqual(1)
        },
      ),
    )
  })

  test('within an evening is the common median', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 900, max: 1439 }), { minLength: 1, maxLength: 41 }), (times) => {
        const sorted = times.toSorted((one, other) => one - other)
        const [low = 0, high = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
        expect(circularMedian(times)).toBe(Math.round((low + high) / 2))
      }),
    )
  })
})
