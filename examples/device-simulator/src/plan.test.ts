import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { makeNights } from './nights.ts'
import { planUploads } from './plan.ts'
import type { PlanOptions } from './plan.ts'
import { truthOf } from './truth.ts'

const items = makeNights({
  seed: 2,
  nights: 60,
  until: '2026-03-31',
  uniqueId: '3f2b8c9e-1111-4222-8333-123456789abc',
})
const positions = items.map((_, position) => position)
const rate = fc.double({ min: 0, max: 1, noNaN: true })
const options = fc.record({
  seed: fc.integer(),
  batch: fc.integer({ min: 1, max: 80 }),
  misbehaviour: fc.record({
    retries: rate,
    duplicates: rate,
    shuffle: fc.boolean(),
    cut: rate,
    clock1970: fc.oneof(rate, fc.boolean()),
  }),
})
const sentBy = (given: PlanOptions): number[] =>
  planUploads(given).uploads.flatMap((upload) => upload.positions)

describe('whatever goes wrong', () => {
  test('the same seed plans the same', () => {
    fc.assert(
      fc.property(options, (given) => {
        expect(planUploads({ items, ...given })).toEqual(planUploads({ items, ...given }))
      }),
    )
  })

  test('every item is sent once or twice, and no upload is larger than asked for', () => {
    fc.assert(
      fc.property(options, (given) => {
        for (const upload of planUploads({ items, ...given }).uploads) {
          expect(upload.positions.length).toBeGreaterThan(0)
          expect(upload.positions.length).toBeLessThanOrEqual(given.batch)
          expect(upload.cutAt).toSatisfy(
            (share: number | null) => share === null || (share >= 0 && share < 1),
          )
        }
        const sent = sentBy({ items, ...given })
        expect([...new Set(sent)].toSorted((a, b) => a - b)).toEqual(positions)
        for (const position of positions)
          expect(sent.filter((each) => each === position).length).toBeLessThan(3)
      }),
    )
  })

  test('one misbehaviour does not change where another strikes', () => {
    fc.assert(
      fc.property(options, (given) => {
        const cuts = (clock1970: number): (number | null)[] =>
          planUploads({
            items,
            ...given,
            misbehaviour: { ...given.misbehaviour, clock1970, retries: clock1970 },
          }).uploads.map((upload) => upload.cutAt)
        expect(cuts(0)).toEqual(cuts(1))
      }),
    )
  })
})

test('a well-behaved device sends every item once, oldest first', () => {
  const plan = planUploads({ items, misbehaviour: {}, seed: 1, batch: 10 })
  expect(plan.records).toEqual(items)
  expect(plan.uploads.flatMap((upload) => upload.positions)).toEqual(positions)
  expect(plan.uploads.every((upload) => upload.cutAt === null && !upload.repeated)).toBe(true)
})

test('duplicates at rate 1 send every item twice, some in one upload and some in two', () => {
  const { uploads } = planUploads({ items, misbehaviour: { duplicates: 1 }, seed: 1, batch: 10 })
  const sent = uploads.flatMap((upload) => upload.positions)
  expect(sent).toHaveLength(items.length * 2)
  const within = uploads.map((upload) => upload.positions.length - new Set(upload.positions).size)
  const twiceInOne = within.reduce((sum, count) => sum + count, 0)
  expect(twiceInOne).toBeGreaterThan(0)
  expect(twiceInOne).toBeLessThan(items.length)
})

test('shuffling sends the same items in another order', () => {
  const sent = sentBy({ items, misbehaviour: { shuffle: true }, seed: 1, batch: 10 })
  expect(sent).not.toEqual(positions)
  expect([...sent].toSorted((a, b) => a - b)).toEqual(positions)
})

test('a clock in 1970 keeps the time of day and everything else', () => {
  const { records } = planUploads({ items, misbehaviour: { clock1970: true }, seed: 1, batch: 10 })
  const days = truthOf(records)
  expect(days.every((day) => day.date.startsWith('1970-'))).toBe(true)
  expect(days.reduce((sum, day) => sum + day.sessions, 0)).toBe(items.length)
  const timesOfDay = (values: readonly unknown[]): string[] =>
    JSON.stringify(values).match(/T\d\d:\d\d:\d\d/g) ?? []
  expect(timesOfDay(records)).toEqual(timesOfDay(items))
})

test('a clock in 1970 for a share of the items leaves the others alone', () => {
  const { records } = planUploads({ items, misbehaviour: { clock1970: 0.3 }, seed: 1, batch: 10 })
  const untouched = records.filter((record, index) => record === items[index]).length
  expect(untouched).toBeGreaterThan(0)
  expect(untouched).toBeLessThan(items.length)
})

test('what is no item travels unchanged', () => {
  const broken = [null, 7, { unique_id: 1 }]
  expect(
    planUploads({ items: broken, misbehaviour: { clock1970: true }, seed: 1, batch: 10 }).records,
  ).toEqual(broken)
})

test.each([{ retries: -0.1 }, { duplicates: 1.1 }, { cut: Number.NaN }])('%j is no rate', (misbehaviour) => {
  expect(() => planUploads({ items, misbehaviour, seed: 1, batch: 10 })).toThrow(RangeError)
})

test.each([0, 1.5, Number.NaN])('%d is no number of items per upload', (batch) => {
  expect(() => planUploads({ items, misbehaviour: {}, seed: 1, batch })).toThrow(RangeError)
})
