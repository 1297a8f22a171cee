import fc from 'fast-check'
import { expect, test } from 'vitest'

import { CLOCK_STARTS, correctDates, loseClock, fetchServiceTime } from './flat-clock.ts'
import { upload } from './index.ts'
import { makeNights } from './nights.ts'
import { SAVED_RESPONSE, startRecordingServer } from './recording-server.ts'
import { truthOf } from './truth.ts'

const uniqueId = '3f2b8c9e-1111-4222-8333-123456789abc'
const items = makeNights({ seed: 1, nights: 30, until: '2026-03-31', uniqueId })
const now = Date.parse('2026-04-01T12:00:00Z')
const REFUSED = { status: 422, headers: { 'x-error': 'clock' }, body: { detail: [] } }
const datesOf = (body: string) => body.match(/\d{4}-\d\d-\d\dT/g) ?? []

test('whichever share is wrong, the same correction brings all dates back', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom(...Object.values(CLOCK_STARTS)),
      (share, start) => {
        const wrong = loseClock(items, share, start)
        if (!wrong) return
        const shown = start === CLOCK_STARTS.flat ? '"1970-01-01T01:00:00"' : '"2036-02-07T07:28:16"'
        expect(JSON.stringify(wrong.records)).toContain(shown)
        expect(correctDates(wrong.records, -wrong.ahead, now)).toEqual(items)
      },
    ),
  )
  expect(loseClock(items, 0, CLOCK_STARTS.flat)).toBe(null)
  expect(loseClock(['none'], 1, CLOCK_STARTS.flat)).toBe(null)
})

test('a record stays as it is if its date is possible, or would be no more possible', () => {
  const [item] = items
  if (!item) throw new Error('There are no items')
  const dated = (treatment_date: string) => ({
    ...item,
    detail_data: { ...item.detail_data, treatment_date },
  })
  const tomorrow = dated('2026-04-03T00:00:00')
  const century = dated('2099-01-01T00:00:00')
  const tenYears = 3653 * 86_400_000
  expect(correctDates([tomorrow, century], -tenYears, now)).toEqual([tomorrow, century])
})

test.each([
  [false, 'flatClock'],
  [true, 'flatClock'],
  [false, 'jumpedClock'],
  [true, 'jumpedClock'],
] as const)(
  'a device that is refused for its clock takes the time, corrects what it holds and loses nothing (lenient: %s, %s)',
  async (lenient, clock) => {
    let busy = true
    await using server = await startRecordingServer(({ path, body }) => {
      if (path.endsWith('/time')) {
        busy = !busy
        return busy
          ? { status: 200, body: { utc: new Date().toISOString(), utc_offset_minutes: 540 } }
          : { status: 503, body: '' }
      }
      const rejected = datesOf(body).flatMap((date, index) =>
        date < '2015' || date > '2036' ? [{ index, status: 'rejected', detail: 'date' }] : [],
      )
      if (rejected.length === 0) return SAVED_RESPONSE
      return lenient ? { status: 200, body: { statusCode: 200, message: '', results: rejected } } : REFUSED
    })
    const report = await upload({
      url: server.url,
      items,
      misbehaviour: { [clock]: 0.5, lenient, firmware: 12 },
      wait: async () => {},
    })
    expect(report).toMatchObject({
      ok: true,
      corrected: 1,
      rejected: lenient ? 0 : 1,
      items_acknowledged: items.length,
      truth: truthOf(items),
    })
    const uploads = server.requests.filter(({ path }) => path.endsWith('/devlog'))
    expect(uploads.map(({ headers }) => headers['x-firmware'])).toEqual(uploads.map(() => '12'))
    expect(server.requests.filter(({ path }) => path === '/api/v1/gamma/device/time')).toHaveLength(2)
  },
)

test('a device that cannot have the time reports the error', async () => {
  await using server = await startRecordingServer(({ path }) =>
    path.endsWith('/time') ? { status: 200, body: 'Welcome to the hotel' } : REFUSED,
  )
  const report = await upload({
    url: server.url,
    items,
    misbehaviour: { flatClock: true },
    wait: async () => {},
  })
  expect(report).toMatchObject({ ok: false, corrected: 0, items_acknowledged: 0 })
  expect(await fetchServiceTime('http://127.0.0.1:1', 1000, fetch)).toBe(null)
})
