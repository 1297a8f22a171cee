import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { checkUploadRules } from './check.ts'
import { isDevlogItem } from './item.ts'
import { makeNights } from './nights.ts'
import { planUploads } from './plan.ts'
import type { PlanUploadsOptions } from './plan.ts'
import { toTemporaryRecord } from './temporary-record.ts'
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
    lost: rate,
    torn: rate,
    temporary: rate,
    strangers: rate,
    clock1970: fc.oneof(rate, fc.boolean()),
  }),
})
const sentBy = (given: PlanUploadsOptions): number[] =>
  planUploads(given).uploads.flatMap((upload) => upload.positions)

describe('every plan', () => {
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
        const { records, uploads } = planUploads({ items, ...given })
        for (const upload of uploads) {
          expect(upload.positions.length).toBeGreaterThan(0)
          expect(upload.positions.length).toBeLessThanOrEqual(given.batch)
          for (const share of [upload.cutAt, upload.tornAt])
            expect(share).toSatisfy((each: number | null) => each === null || (each >= 0 && each < 1))
        }
        const sent = sentBy({ items, ...given })
        expect([...new Set(sent)].toSorted((a, b) => a - b)).toEqual([...records.keys()])
        for (const position of records.keys())
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

test('temporary records precede what they become, each at half of it', () => {
  const { records, uploads } = planUploads({ items, misbehaviour: { temporary: 1 }, seed: 1, batch: 1 })
  const sent = uploads.flatMap((upload) => upload.positions.map((position) => records[position]))
  expect(sent).toEqual(items.flatMap((item) => [toTemporaryRecord(item), item]))
  expect(truthOf(records)).toEqual(truthOf(items))
  expect(checkUploadRules([sent], new Date('2026-04-01T12:00:00Z'))).toEqual([])
})

test('strangers are records like any other, of a device that is none of the given', () => {
  const { records, uploads } = planUploads({ items, misbehaviour: { strangers: 0.5 }, seed: 1, batch: 10 })
  const strangers = records.slice(items.length).filter(isDevlogItem)
  expect(records.slice(0, items.length)).toEqual(items)
  expect(strangers.length).toBeGreaterThan(0)
  expect(strangers.length).toBeLessThan(items.length)
  expect(strangers.map(({ unique_id }) => unique_id)).not.toContain(items[0]?.unique_id)
  expect(uploads.flatMap((upload) => upload.positions)).toHaveLength(records.length)
})

test('what is no item travels unchanged', () => {
  const broken = [null, 7, { unique_id: 1 }]
  expect(
    planUploads({
      items: broken,
      misbehaviour: { clock1970: true, temporary: 1, strangers: 1 },
      seed: 1,
      batch: 10,
    }).records,
  ).toEqual(broken)
})

test.each([{ retries: -0.1 }, { duplicates: 1.1 }, { cut: Number.NaN }])('%j is no rate', (misbehaviour) => {
  expect(() => planUploads({ items, misbehaviour, seed: 1, batch: 10 })).toThrow(RangeError)
})

test.each([0, 1.5, Number.NaN])('%d is no number of items per upload', (batch) => {
  expect(() => planUploads({ items, misbehaviour: {}, seed: 1, batch })).toThrow(RangeError)
})
