import { expect, test } from 'vitest'
import { isNightTime } from './night-time'

const at = (clock: string) => `2026-03-02T${clock}:00`
const plan = (from: string, bedtime: string | null) => ({ from, bedtime })

test('without a bedtime, a night lasts from eight in the evening until noon', () => {
  for (const plans of [[], [plan('2026-01-01', null)], [plan('2026-03-03', '18:00')]]) {
    expect(['19:59', '12:00', '15:00'].map((clock) => isNightTime(plans, at(clock)))).toEqual([
      false,
      false,
      false,
    ])
    expect(['20:00', '23:59', '00:00', '11:59'].map((clock) => isNightTime(plans, at(clock)))).toEqual([
      true,
      true,
      true,
      true,
    ])
  }
})

test('the bedtime is that of the evening on which the night began', () => {
  const plans = [plan('2026-01-01', '21:30'), plan('2026-03-02', '19:00')]
  expect(isNightTime(plans, '2026-03-01T21:00:00')).toBe(false)
  expect(isNightTime(plans, '2026-03-01T21:30:00')).toBe(true)
  expect(isNightTime(plans, at('18:59'))).toBe(false)
  expect(isNightTime(plans, at('19:00'))).toBe(true)
})

test('a bedtime after midnight belongs to the night of the evening before', () => {
  const plans = [plan('2026-01-01', '00:30')]
  expect(['00:29', '23:00', '12:00'].map((clock) => isNightTime(plans, at(clock)))).toEqual([
    false,
    false,
    false,
  ])
  expect(['00:30', '11:59'].map((clock) => isNightTime(plans, at(clock)))).toEqual([true, true])
})
