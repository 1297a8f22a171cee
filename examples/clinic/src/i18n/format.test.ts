import { afterEach, expect, test, vi } from 'vitest'
import { formats } from './format'

afterEach(() => void vi.useRealTimers())

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

test('a short date has its year unless it is of this year', () => {
  vi.useFakeTimers({ now: new Date('2026-02-03T12:00:00') })
  const [en, ko] = [formats('en'), formats('ko')]
  expect(['2026-01-31', '2025-12-31'].map(en.shortDate)).toEqual(['Jan 31', 'Dec 31, 2025'])
  expect(['2026-01-31', '2025-12-31'].map(ko.shortDate)).toEqual(['1월 31일', '2025년 12월 31일'])
  expect(['2026-01-31T12:00:00', '2025-12-31T12:00:00'].map(en.shortDateOf)).toEqual([
    'Jan 31',
    'Dec 31, 2025',
  ])
  expect(en.moment('2026-01-31T12:00:00')).not.toContain('2026')
  expect(en.moment('2025-12-31T12:00:00')).toContain('Dec 31, 2025')
})
