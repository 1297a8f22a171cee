import { expect, test } from 'vitest'
import { formats } from './format'

test('durations are in hours and minutes', () => {
  const [en, ko] = [formats('en'), formats('ko')]
  expect([0, 59, 60, 245].map(en.duration)).toEqual(['0 min', '59 min', '1 h', '4 h 5 min'])
  expect([0, 59, 60, 245].map(ko.duration)).toEqual(['0분', '59분', '1시간', '4시간 5분'])
})

test('dates of devices are what they say, in every zone', () => {
  expect(formats('en').date('2026-03-01')).toBe('Mar 1, 2026')
  expect(formats('ko').evening('2026-03-01')).toBe('3월 1일 (일)')
  expect(formats('en').clock('2026-03-01T21:30:00')).toBe('21:30')
})
