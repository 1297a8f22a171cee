import { describe, expect, test } from 'vitest'

import { checkUploadRules } from './check.ts'
import type { DevlogItem } from './item.ts'
import { makeNights } from './nights.ts'
import { planUploads } from './plan.ts'

const now = new Date('2026-04-01T12:00:00Z')
const items = makeNights({
  seed: 3,
  nights: 60,
  until: '2026-03-31',
  uniqueId: '3f2b8c9e-1111-4222-8333-123456789abc',
})
const good: DevlogItem = {
  unique_id: '3f2b8c9e-1111-4222-8333-123456789abc',
  log_file_id: 7,
  detail_data: {
    treatment_date: '2026-03-05T21:30:00',
    treatment_time: 720,
    last_intensity: 9,
    finish_flag: '1',
  },
  intensity_record: [{ intensity: 3 }, { intensity: 9 }],
}
const changed = (detail: Partial<DevlogItem['detail_data']>, more: Partial<DevlogItem> = {}): DevlogItem => ({
  ...good,
  ...more,
  detail_data: { ...good.detail_data, ...detail },
})

test('nothing that the simulator sends is an error, including retries, copies and disorder', () => {
  const { records, uploads } = planUploads({
    items,
    misbehaviour: { duplicates: 0.5, retries: 0.5 },
    seed: 1,
    batch: 10,
  })
  const sent = uploads.map(({ positions }) => positions.map((position) => records[position]))
  expect(checkUploadRules([...sent, ...sent], now)).toEqual([])
})

test('a clock in 1970 is found', () => {
  const { records } = planUploads({ items, misbehaviour: { clock1970: true }, seed: 1, batch: 10 })
  const errors = checkUploadRules([records], now).filter(({ kind }) => kind === 'error')
  expect(errors).toHaveLength(records.length)
  expect(errors[0]).toMatchObject({
    upload: 1,
    item: 1,
    problem: expect.stringContaining('the clock was reset'),
  })
})

describe('an item', () => {
  test.each<[string, unknown, RegExp]>([
    ['without a field', { ...good, log_file_id: undefined }, /missing or has a wrong type/],
    ['with a zone', changed({ treatment_date: '2026-03-05T21:30:00Z' }), /has a time zone/],
    ['without a time', changed({ treatment_date: '2026-03-05T' }), /is not yyyy-mm-ddThh:mm:ss/],
    ['from the future', changed({ treatment_date: '2026-04-03T12:00:01' }), /48 hours ahead/],
    ['too long', changed({ treatment_time: 86_401 }), /0 to 86400/],
    ['that ended for no known reason', changed({ finish_flag: 7 }), /1 to 6/],
    ['with an intensity below zero', changed({ last_intensity: -1 }), /0 to 32767/],
    ['of no device', { ...good, unique_id: 'mine' }, /not a uuid/],
  ])('%s is an error', (_name, item, problem) => {
    const errors = checkUploadRules([[item]], now).filter(({ kind }) => kind === 'error')
    expect(errors).toEqual([{ kind: 'error', upload: 1, item: 1, problem: expect.stringMatching(problem) }])
  })

  test.each<[string, DevlogItem, RegExp]>([
    ['too few intensities', changed({ treatment_time: 721 }), /2 intensities in 721 s/],
    ['another last intensity', changed({ last_intensity: 3 }), /the last recorded value is 9/],
  ])('with %s is in doubt', (_name, item, problem) => {
    expect(checkUploadRules([[item]], now)).toMatchObject([
      { kind: 'doubt', problem: expect.stringMatching(problem) },
    ])
  })
})

test('a retry must be the same; a complete record may replace a temporary one', () => {
  const other = changed({ last_intensity: 9, movement: 4 })
  expect(checkUploadRules([[good], [good]], now)).toEqual([])
  expect(checkUploadRules([[good], [other]], now)).toMatchObject([
    { kind: 'error', upload: 2, problem: expect.stringContaining('a retry must repeat') },
  ])
  expect(checkUploadRules([[{ ...good, is_temp: true }], [other], [other]], now)).toEqual([])
})

describe('a use that goes on', () => {
  const grown = (minutes: number, start = 0, rest: Partial<DevlogItem> = {}) => {
    const intensities = Array.from({ length: Math.ceil(minutes / 6) }, (_, n) => n + 1)
    const treatment_date = new Date(Date.parse('2026-03-05T21:30:00Z') + 60_000 * start)
      .toISOString()
      .slice(0, 19)
    return {
      ...good,
      is_temp: true,
      detail_data: {
        ...good.detail_data,
        treatment_date,
        treatment_time: 60 * minutes,
        last_intensity: intensities.at(-1) ?? 0,
      },
      intensity_record: intensities.map((intensity) => ({ intensity })),
      ...rest,
    }
  }
  const found = (...items: DevlogItem[]) =>
    checkUploadRules(
      items.map((item) => [item]),
      now,
    )

  test('may come again as it grows, with other numbers, and complete', () => {
    expect(
      found(
        grown(6),
        grown(12),
        grown(12),
        grown(18, 0, { log_file_id: 9 }),
        grown(20, 0, { is_temp: false }),
      ),
    ).toEqual([])
    // Somebody takes the device off, and starts it again at once.
    expect(found(grown(6), grown(8, 0, { is_temp: false }), grown(6, 8, { log_file_id: 8 }))).toEqual([])
    // Older uses are sent beside it.
    expect(found(grown(6), grown(60, -120, { log_file_id: 6, is_temp: false }), grown(12))).toEqual([])
  })

  test('must keep its start', () => {
    const newStart = {
      kind: 'error',
      upload: 2,
      problem: expect.stringContaining('under a new start: it began at 2026-03-05T21:30:00'),
    }
    // Each piece of six minutes by itself; each record from the moment of sending; a start that drifts; a whole use at last.
    for (const second of [grown(6, 6), grown(12, 6), grown(12, 1), grown(30, 1, { is_temp: false })])
      expect(found(grown(6), { ...second, log_file_id: 8 })).toEqual([expect.objectContaining(newStart)])
  })

  test('with other values but no longer is in doubt', () => {
    const other = grown(6)
    expect(found(grown(6), { ...other, detail_data: { ...other.detail_data, movement: 9 } })).toMatchObject([
      { kind: 'doubt', upload: 2, problem: expect.stringContaining('no longer') },
    ])
  })
})

test('a clock that goes back, and too many items at once', () => {
  const earlier = changed({ treatment_date: '2026-03-04T21:30:00' }, { log_file_id: 8 })
  expect(checkUploadRules([[good, earlier]], now)).toMatchObject([
    { kind: 'doubt', item: 2, problem: expect.stringContaining('was the clock set back') },
  ])
  expect(checkUploadRules([Array.from({ length: 1001 }, () => good)], now)).toMatchObject([
    { kind: 'error', item: null, problem: '1001 items; the service takes 1000' },
  ])
})
