import { expect, test } from 'vitest'
import { formats } from './format'

test('durations are minutes, or hours and minutes', () => {
  const { duration } = formats('en')
  expect([0, 29, 30, 1080, 3600, 5430].map(duration)).toEqual([
    '0 min',
    '0 min',
    '1 min',
    '18 min',
    '1 h',
    '1 h 31 min',
  ])
  expect(formats('ko').duration(5430)).toBe('1시간 31분')
})

test('days keep their date whatever the zone of the phone', () => {
  expect(formats('en').fullDay('2026-03-01')).toBe('Sunday, March 1')
  expect(formats('ko').fullDay('2026-03-01')).toBe('3월 1일 일요일')
  expect(formats('ko').month(2026, 3)).toBe('2026년 3월')
  expect(formats('en').date('2026-03-01')).toBe('Mar 1, 2026')
  expect(formats('ko').date('2026-03-01')).toBe('2026년 3월 1일')
})

test('the clock is the one of the device', () => {
  expect(formats('en').clock('2026-03-01T21:30:00')).toBe('21:30')
})
