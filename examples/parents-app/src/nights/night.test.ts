import { expect, test } from 'vitest'
import { en } from '../i18n/en'
import { formats } from '../i18n/format'
import { ko } from '../i18n/ko'
import { lossesOf, nightsOf, usageSecondsOf, spanOf } from './night'
import { readRecords } from './record'
import type { UsageRecord } from './record'
import { nightTimeline } from './strip'
import { whenUsed } from './when-used'

let id = 0
const use = (start: string, minutes: number, more: Partial<UsageRecord> = {}): UsageRecord => ({
  id: id++,
  start,
  seconds: minutes * 60,
  intensities: [],
  lastIntensity: 0,
  movement: 0,
  ended: '1',
  ...more,
})
const torn = [use('2026-11-07T22:18:00', 183, { ended: '4' }), use('2026-11-08T01:36:00', 65, { ended: '4' })]

test('a use after midnight belongs to the evening before, one after noon to its own', () => {
  const nights = nightsOf([...torn, use('2026-11-08T11:59:59', 5), use('2026-11-08T12:00:00', 5)])
  expect(nights.map(({ date, records }) => [date, records.length])).toEqual([
    ['2026-11-07', 3],
    ['2026-11-08', 1],
  ])
})

test('a night tells when contact was lost, and when the device went on', () => {
  const [night] = nightsOf(torn)
  expect(night && lossesOf(night)).toEqual([
    { at: '2026-11-08T01:21:00', again: '2026-11-08T01:36:00' },
    { at: '2026-11-08T02:41:00', again: undefined },
  ])
  expect(night && spanOf(night)).toEqual({ start: '2026-11-07T22:18:00', end: '2026-11-08T02:41:00' })
  expect(night && usageSecondsOf(night)).toBe(248 * 60)
})

test('the picture has a gap where the device was off, and reaches as far as the uses', () => {
  const [night] = nightsOf([
    use('2026-11-07T19:30:00', 15, { intensities: [5, 5, 20], ended: '4' }),
    use('2026-11-08T07:00:00', 90),
  ])
  expect(night && nightTimeline(night)).toEqual({
    from: 7 * 60,
    to: 21 * 60,
    uses: [
      [
        { from: 450, to: 462, share: 0.25 },
        { from: 462, to: 465, share: 1 },
      ],
      [{ from: 1140, to: 1230, share: 0 }],
    ],
    losses: [465],
    marks: [480, 720, 960, 1200],
  })
})

const customs = { isFahrenheit: false, is24Hour: true }

test.each([
  ['en', en, 'Running since 21:30, 6 h 6 min so far', 'Ended, its last log did not arrive'],
  ['ko', ko, '21:30부터 사용 중, 지금까지 6시간 6분', '종료됨, 마지막 기록이 도착하지 않음'],
] as const)(
  'a use runs until 12 hours after what is known of it, in %s',
  (language, texts, running, ended) => {
    const open = use('2026-11-07T21:30:00', 366, { ended: undefined })
    const told = (now: string, record = open) =>
      whenUsed(record, texts, formats(language, customs), new Date(now))
    expect(told('2026-11-08T03:36:10')).toEqual([running])
    expect(told('2026-11-08T15:36:00')).toEqual([running])
    const duration = formats(language, customs).duration(open.seconds)
    for (const late of ['2026-11-08T15:36:01', '2026-12-24T18:00:00'])
      expect(told(late)).toEqual(['21:30 – 03:36', duration, ended])
    expect(told('2026-11-08T03:36:10', { ...open, ended: '1' })).toEqual(['21:30 – 03:36', duration])
    // A device's clock may be ahead of the phone's.
    expect(told('2026-11-07T09:00:00')).toEqual([running])
  },
)

test('all pages are read; complete uses below two minutes do not count', async () => {
  const item = (treatment_id: number, treatment_time: number, is_temp = false) => ({
    treatment_id,
    real_user_id: 1,
    device_id: 1,
    treatment_date: '2026-11-07T22:00:00',
    treatment_time,
    movement: 3,
    log_file_id: 1,
    last_intensity: 9,
    finish_flag: '4' as const,
    is_temp,
    intensity_record: [{ intensity: 9 }],
  })
  const pages = new Map([
    [undefined, { items: [item(1, 119), item(2, 120)], next: 'more' }],
    ['more', { items: [item(3, 60, true)], next: null }],
  ])
  const list = async ({ after }: { after?: string | undefined }) => {
    const page = pages.get(after)
    if (!page) throw new Error('no such page')
    return page
  }
  const window = { real_user_id: 1, start_date: '2026-11-07', end_date: '2026-11-08' }
  const found = await readRecords({ treatments: { list } }, window, new AbortController().signal)
  expect(found.map(({ id: found_id, ended }) => [found_id, ended])).toEqual([
    [2, '4'],
    [3, undefined],
  ])
})
