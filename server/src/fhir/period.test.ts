import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ALWAYS, intersectPeriods, periodOf } from './period.ts'

test.each([
  ['2026-03-01', { from: '2026-03-01', until: '2026-03-02' }],
  ['2026-03', { from: '2026-03-01', until: '2026-04-01' }],
  ['2026', { from: '2026-01-01', until: '2027-01-01' }],
  ['ge2026-03-01', { from: '2026-03-01', until: 'infinity' }],
  ['gt2026-03-01', { from: '2026-03-02', until: 'infinity' }],
  ['le2026-03-01', { from: '-infinity', until: '2026-03-02' }],
  ['lt2026-03', { from: '-infinity', until: '2026-03-01' }],
  ['eq2024-02-29', { from: '2024-02-29', until: '2024-03-01' }],
  ['gt9999-12-31', { from: 'infinity', until: 'infinity' }],
])('the date %s is a period', (text, period) => {
  expect(periodOf(text, 'dates')).toEqual(period)
})

test.each([
  ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:01.000Z'],
  ['2026-03-01T10:00+09:00', '2026-03-01T01:00:00.000Z', '2026-03-01T01:01:00.000Z'],
  // A plus that was not encoded is a space.
  ['2026-03-01T10:00:00.25 09:00', '2026-03-01T01:00:00.250Z', '2026-03-01T01:00:00.251Z'],
  ['2026-03-01', '2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z'],
])('the moment %s lasts as long as it is exact', (text, from, until) => {
  expect(periodOf(text, 'moments')).toEqual({ from, until })
})

test.each([
  '',
  'x',
  '2026-3-1',
  '2026-02-30',
  '2026-13',
  '0000',
  '99999',
  'ne2026',
  '2026-03-01T10:00:00',
  '2026-03-01T25:00:00Z',
])('%s is no date', (text) => expect(periodOf(text, 'moments')).toBeUndefined())

test('dates that have no zone are not compared with moments', () => {
  expect(periodOf('2026-03-01T10:00:00Z', 'dates')).toBeUndefined()
})

test('two periods overlap where both do', () => {
  const ge = periodOf('ge2026-03-01', 'dates') ?? ALWAYS
  const lt = periodOf('lt2026-04-01', 'dates') ?? ALWAYS
  expect(intersectPeriods(ge, lt)).toEqual({ from: '2026-03-01', until: '2026-04-01' })
  expect(intersectPeriods(lt, ge)).toEqual(intersectPeriods(ge, lt))
  expect(intersectPeriods(ALWAYS, ALWAYS)).toEqual(ALWAYS)
})

test('no text breaks it', () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom('dates' as const, 'moments' as const), (text, compared) => {
      const period = periodOf(text, compared)
      expect(period === undefined || period.from !== undefined).toBe(true)
    }),
  )
})
