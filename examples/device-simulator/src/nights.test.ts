import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { isDevlogItem } from './item.ts'
import type { DevlogItem } from './item.ts'
import { makeNights } from './nights.ts'
import { dateOfDay, dayNumber } from './wall-clock.ts'

const uniqueId = '3f2b8c9e-1111-4222-8333-123456789abc'
const options = fc.record({
  seed: fc.integer(),
  nights: fc.integer({ min: 1, max: 120 }),
  until: fc.integer({ min: dayNumber('2016-01-01'), max: dayNumber('2032-12-31') }).map(dateOfDay),
  uniqueId: fc.constant(uniqueId),
})
const dateOf = (item: DevlogItem): string => item.detail_data.treatment_date.slice(0, 10)
const secondsOf = (item: DevlogItem): number => Date.parse(`${item.detail_data.treatment_date}Z`) / 1000

describe('nights of any seed and window', () => {
  test('are the same byte for byte when made again', () => {
    fc.assert(
      fc.property(options, (given) => {
        expect(JSON.stringify(makeNights(given))).toBe(JSON.stringify(makeNights(given)))
      }),
    )
  })

  test('are items the service takes', () => {
    fc.assert(
      fc.property(options, (given) => {
        for (const item of makeNights(given)) {
          const { detail_data: detail, intensity_record: record } = item
          expect(isDevlogItem(item)).toBe(true)
          expect(item.unique_id).toBe(uniqueId)
          expect(detail.treatment_date).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/)
          expect(detail.treatment_time).toBeGreaterThan(0)
          expect(detail.treatment_time).toBeLessThanOrEqual(8 * 3600)
          expect(record).toHaveLength(Math.ceil(detail.treatment_time / 360))
          expect(record.length).toBeLessThanOrEqual(240)
          expect(detail.last_intensity).toBe(record.at(-1)?.intensity)
          expect(record.every(({ intensity }) => intensity > 0 && intensity < 100)).toBe(true)
          expect(['1', '2', '4', '5']).toContain(detail.finish_flag)
        }
      }),
    )
  })

  test('never pass their last date nor begin before the first', () => {
    fc.assert(
      fc.property(options, (given) => {
        const first = dayNumber(given.until) - given.nights + 1
        for (const item of makeNights(given)) {
          expect(dayNumber(dateOf(item))).toBeGreaterThanOrEqual(first)
          expect(dayNumber(dateOf(item))).toBeLessThanOrEqual(dayNumber(given.until))
        }
      }),
    )
  })

  test('follow one another without overlap, with rising log_file_id', () => {
    fc.assert(
      fc.property(options, (given) => {
        const items = makeNights(given)
        for (const [index, item] of items.entries()) {
          const before = items[index - 1]
          if (before === undefined) continue
          expect(item.log_file_id).toBeGreaterThan(before.log_file_id)
          expect(secondsOf(item)).toBeGreaterThan(secondsOf(before) + before.detail_data.treatment_time)
        }
      }),
    )
  })

  test('are the same nights when the window moves or grows', () => {
    fc.assert(
      fc.property(
        options,
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 0, max: 30 }),
        (given, more, later) => {
          const moved = makeNights({
            ...given,
            nights: given.nights + more + later,
            until: dateOfDay(dayNumber(given.until) + later),
          })
          const known = new Map(moved.map((item) => [item.log_file_id, item]))
          for (const item of makeNights(given)) expect(known.get(item.log_file_id)).toEqual(item)
        },
      ),
    )
  })
})

describe('a few years of nights', () => {
  const items = makeNights({ seed: 11, nights: 1500, until: '2026-06-30', uniqueId })
  const share = (flag: string): number =>
    items.filter((item) => item.detail_data.finish_flag === flag).length / items.length

  test('start in the evening, except the second session after a contact loss', () => {
    for (const [index, item] of items.entries()) {
      const time = item.detail_data.treatment_date.slice(11)
      if (time >= '20:30:00' && time <= '23:30:00') continue
      expect(items[index - 1]?.detail_data.finish_flag).toBe('4')
    }
  })

  test('mostly end as planned, some by contact loss, button or charger', () => {
    expect(share('1')).toBeGreaterThan(0.75)
    for (const flag of ['2', '4', '5']) expect(share(flag)).toBeGreaterThan(0.01)
  })

  test('have some nights missed and some with two sessions', () => {
    const evenings = new Set(items.map((item) => Math.ceil(item.log_file_id / 2)))
    expect(evenings.size).toBeGreaterThan(1500 * 0.85)
    expect(evenings.size).toBeLessThan(1500 * 0.95)
    expect(items.length).toBeGreaterThan(evenings.size * 1.03)
  })

  test('have second sessions after midnight, dated by their own start', () => {
    const afterMidnight = items.filter((item) => item.detail_data.treatment_date.slice(11) < '12:00:00')
    expect(afterMidnight.length).toBeGreaterThan(5)
    for (const item of afterMidnight) {
      const evening = items.find((other) => other.log_file_id === item.log_file_id - 1)
      expect(evening && dayNumber(dateOf(item)) - dayNumber(dateOf(evening))).toBe(1)
    }
  })

  test('have movement sometimes, and uses too short for the calendar', () => {
    const moving = items.filter((item) => item.detail_data.movement !== undefined).length
    expect(moving).toBeGreaterThan(items.length * 0.6)
    expect(moving).toBeLessThan(items.length * 0.8)
    expect(items.some((item) => item.detail_data.treatment_time < 120)).toBe(true)
  })

  test('ramp up to a plateau', () => {
    for (const { intensity_record: record } of items) {
      const values = record.map(({ intensity }) => intensity)
      expect(values.slice(0, 4)).toEqual(values.slice(0, 4).toSorted((a, b) => a - b))
      const plateau = values.slice(6)
      const [first = 0] = plateau
      expect(Math.max(first, ...plateau) - Math.min(first, ...plateau)).toBeLessThanOrEqual(2)
    }
  })
})

test('nights before the service accepts records, or none at all, are a mistake', () => {
  expect(() => makeNights({ seed: 1, nights: 2, until: '2015-01-01', uniqueId })).toThrow(RangeError)
  expect(() => makeNights({ seed: 1, nights: 0, until: '2026-01-01', uniqueId })).toThrow(RangeError)
  expect(() => makeNights({ seed: 1, nights: 1, until: '2026-02-30', uniqueId })).toThrow(RangeError)
})

test('a use that has not ended yet is left out', () => {
  const all = makeNights({ seed: 1, nights: 30, until: '2026-03-31', uniqueId })
  const last = all.at(-1)?.detail_data
  const end = new Date(Date.parse(`${last?.treatment_date}Z`) + 1000 * (last?.treatment_time ?? 0))
  const at = (moment: number) => new Date(moment).toISOString().slice(0, 19)
  const until = { seed: 1, nights: 30, until: '2026-03-31', uniqueId }
  expect(makeNights({ ...until, now: at(end.getTime()) })).toEqual(all)
  expect(makeNights({ ...until, now: at(end.getTime() - 1000) })).toEqual(all.slice(0, -1))
})
