import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isLocalDateTime, utcOffset, wallClock } from './wall-clock.ts'

const two = (least: number, most: number) =>
  fc.integer({ min: least, max: most }).map((value) => String(value).padStart(2, '0'))

const dateTime = fc
  .tuple(
    fc.integer({ min: 1, max: 9999 }).map((year) => String(year).padStart(4, '0')),
    two(1, 12),
    two(1, 28),
    two(0, 23),
    two(0, 59),
    fc.option(two(0, 59), { nil: undefined }),
  )
  .map(([year, month, day, hour, minute, second]) => {
    const time = second === undefined ? `${hour}:${minute}` : `${hour}:${minute}:${second}`
    return `${year}-${month}-${day}T${time}`
  })

test('every minute and second of every day is a local date and time', () => {
  fc.assert(
    fc.property(dateTime, (text) => {
      expect(isLocalDateTime(text)).toBe(true)
    }),
  )
})

test('a zone, a letter more or a letter less makes it none', () => {
  const more = fc.constantFrom('Z', 'z', '+09:00', '-05:00', '+0900', '+09', ' ', '\n', '\0', '.', ':', 'T')
  fc.assert(
    fc.property(dateTime, more, (text, extra) => {
      const broken = [text + extra, extra + text, text.slice(1), text.slice(0, -1)]
      expect(broken.filter(isLocalDateTime)).toEqual([])
    }),
  )
})

test('any other text is none', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(isLocalDateTime(text)).toBe(false)
    }),
  )
})

test.each([
  '2026-03-01T21:30',
  '2026-03-01T21:30:00',
  '2026-03-01T21:30:59.123456',
  '2024-02-29T00:00',
  '0001-01-01T00:00',
])('%s is one', (text) => expect(isLocalDateTime(text)).toBe(true))

test.each([
  '2026-02-29T00:00',
  '2026-13-01T00:00',
  '2026-00-10T00:00',
  '2026-01-00T00:00',
  '2026-04-31T00:00',
  '0000-01-01T00:00',
  '10000-01-01T00:00',
  '2026-03-01T24:00',
  '2026-03-01T23:60',
  '2026-03-01T23:59:60',
  '2026-03-01T23:59:59.1234567',
  '2026-03-01T23:59:59.',
  '2026-03-01T23:59:59,5',
  '2026-03-01 21:30',
  '2026-03-01t21:30',
  '2026-3-1T21:30',
  '20260301T2130',
  '2026-03-01',
  '21:30',
  '',
])('%j is none', (text) => expect(isLocalDateTime(text)).toBe(false))

test.each([
  ['Asia/Seoul', '2026-01-01T00:00:00.999Z', 540],
  ['Asia/Kolkata', '2026-01-01T00:00:00Z', 330],
  ['America/New_York', '2026-03-08T06:59:59.999Z', -300],
  ['America/New_York', '2026-03-08T07:00:00Z', -240],
  ['UTC', '2026-12-31T23:59:59.999Z', 0],
])('%s is ahead of UTC at %s by %i minutes', (zone, at, minutes) => {
  expect(utcOffset(zone, new Date(at))).toBe(minutes)
})

test('a clock shows its own time after any other', () => {
  const zones = ['Asia/Seoul', 'UTC', 'America/New_York']
  const moment = fc.record({
    zone: fc.constantFrom(...zones),
    // Close to each other, so that seconds come again, before and after 1970.
    at: fc.integer({ min: -3000, max: 3000 }),
  })
  const clocks = Object.fromEntries(
    zones.map((timeZone) => [
      timeZone,
      new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }),
    ]),
  )
  fc.assert(
    fc.property(fc.array(moment, { maxLength: 20 }), (moments) => {
      expect(moments.map(({ zone, at }) => wallClock(zone, new Date(at)))).toEqual(
        moments.map(({ zone, at }) => clocks[zone]?.format(at).replace(' ', 'T')),
      )
    }),
  )
})
