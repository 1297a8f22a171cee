import fc from 'fast-check'
import { expect, test } from 'vitest'

import type { DevlogItem } from './item.ts'
import { makeNights } from './nights.ts'
import { truthOf } from './truth.ts'

function item(log_file_id: number, treatment_date: string, time: number, intensity: number): DevlogItem {
  return {
    unique_id: '3f2b8c9e-1111-4222-8333-123456789abc',
    log_file_id,
    detail_data: { treatment_date, treatment_time: time, last_intensity: intensity, finish_flag: '1' },
    intensity_record: [{ intensity }],
  }
}

const evening = item(1, '2026-03-05T21:00:00', 600, 12)
const later = item(2, '2026-03-05T22:00:00', 900, 13)
const next = item(3, '2026-03-06T21:00:00', 60, 9)

test('sums the sessions of a date and lists their last intensities in the order they started', () => {
  const moving = { ...later, detail_data: { ...later.detail_data, movement: 5 } }
  expect(truthOf([next, moving, evening])).toEqual([
    { date: '2026-03-05', treatment_time: 1500, movement: 5, intensities: [12, 13], sessions: 2 },
    { date: '2026-03-06', treatment_time: 60, movement: 0, intensities: [9], sessions: 1 },
  ])
})

test('counts the same record once', () => {
  expect(truthOf([evening, later, evening])).toEqual(truthOf([evening, later]))
})

test('counts a temporary record only without a complete one of the same start', () => {
  const temporary = { ...evening, is_temp: true, log_file_id: 9 }
  expect(truthOf([temporary, later])).toHaveLength(1)
  expect(truthOf([temporary, evening])).toEqual(truthOf([evening]))
  expect(truthOf([evening, temporary])).toEqual(truthOf([evening]))
  const longer = {
    ...temporary,
    log_file_id: 10,
    detail_data: { ...evening.detail_data, treatment_time: evening.detail_data.treatment_time + 360 },
  }
  for (const sent of [
    [temporary, longer],
    [longer, temporary],
  ])
    expect(truthOf(sent)).toEqual(truthOf([longer]))
})

test('leaves out what is no item', () => {
  expect(truthOf([null, 'item', { ...evening, detail_data: {} }, evening])).toEqual(truthOf([evening]))
})

test('does not depend on order or repetition', () => {
  const items = makeNights({ seed: 5, nights: 40, until: '2026-03-31', uniqueId: evening.unique_id })
  const positions = [...items.keys(), ...items.keys()]
  fc.assert(
    fc.property(fc.shuffledSubarray(positions, { minLength: positions.length }), (order) => {
      expect(truthOf(order.map((position) => items[position]))).toEqual(truthOf(items))
    }),
  )
})
