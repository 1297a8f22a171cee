import { expect, test } from 'vitest'
import { formats } from './format'

const korea = { isFahrenheit: false, is24Hour: true }
const america = { isFahrenheit: true, is24Hour: false }

test('durations are whole minutes, or hours and minutes', () => {
  const { duration } = formats('en', america)
  expect([0, 59, 60, 119, 120, 3599, 3600, 5459].map(duration)).toEqual([
    '0 min',
    '0 min',
    '1 min',
    '1 min',
    '2 min',
    '59 min',
    '1 h',
    '1 h 30 min',
  ])
  expect(formats('ko', korea).duration(5459)).toBe('1시간 30분')
})

test('days keep their date in every time zone of the phone', () => {
  expect(formats('en', america).fullDay('2026-03-01')).toBe('Sunday, March 1')
  expect(formats('ko', korea).fullDay('2026-03-01')).toBe('3월 1일 일요일')
  expect(formats('ko', korea).month(2026, 3)).toBe('2026년 3월')
  expect(formats('en', america).date('2026-03-01')).toBe('Mar 1, 2026')
  expect(formats('ko', korea).date('2026-03-01')).toBe('2026년 3월 1일')
})

test('the time is that of the device, in the 12 or 24 hour format of the phone', () => {
  const clock = (...how: Parameters<typeof formats>) =>
    ['00:05', '12:00', '21:30'].map((time) =>
      formats(...how)
        .clock(`2026-03-01T${time}:00`)
        .replace(/\s/, ' '),
    )
  expect(clock('en', korea)).toEqual(['00:05', '12:00', '21:30'])
  expect(clock('en', america)).toEqual(['12:05 AM', '12:00 PM', '9:30 PM'])
  expect(clock('ko', america)).toEqual(['오전 12:05', '오후 12:00', '오후 9:30'])
})

test('Koreans have names for the two hours that 12-hour clocks write alike', () => {
  const hours = (...how: Parameters<typeof formats>) =>
    ['00', '12', '20'].map((hour) =>
      formats(...how)
        .hour(`2026-03-01T${hour}:00:00`)
        .replace(/\s/, ' '),
    )
  expect(hours('ko', america)).toEqual(['자정', '정오', '오후 8시'])
  expect(hours('en', america)).toEqual(['12 AM', '12 PM', '8 PM'])
  expect(hours('ko', korea)).toEqual(['00:00', '12:00', '20:00'])
})

test('temperatures are in the unit of the phone', () => {
  expect([formats('en', america).degrees(20), formats('en', america).degreeUnit]).toEqual([68, '°F'])
  expect([formats('en', korea).degrees(20), formats('en', korea).degreeUnit]).toEqual([20, '°C'])
})
