import { expect, test } from 'vitest'
import { nightsOf } from './nights'
import type { Use } from './nights'

const use = (treatment_date: string, minutes: number, rest: Partial<Use> = {}): Use => ({
  treatment_date,
  treatment_time: minutes * 60,
  finish_flag: '1',
  is_temp: false,
  ...rest,
})
const plan = (from: string, minutes: number) => ({ from, minutes, nights_per_week: 5 })

test('a use before noon belongs to the evening before, and both halves of a night are one', () => {
  const [monday, tuesday] = nightsOf(
    [
      use('2026-03-02T21:30:00', 231, { finish_flag: '4' }),
      use('2026-03-03T01:36:00', 200),
      use('2026-03-03T12:00:00', 30),
    ],
    [plan('2026-03-01', 240)],
    { last: '2026-03-03', count: 2 },
  )
  expect(monday).toEqual({
    date: '2026-03-02',
    minutes: 431,
    goal: 240,
    isReached: true,
    losses: 1,
    start: '2026-03-02T21:30:00',
  })
  expect(tuesday).toMatchObject({ date: '2026-03-03', minutes: 30, isReached: false, losses: 0 })
})

test('a complete use counts from two minutes on, a running one at once', () => {
  const window = { last: '2026-03-02', count: 1 }
  expect(nightsOf([use('2026-03-02T21:30:00', 1)], [], window)[0]?.minutes).toBe(0)
  expect(nightsOf([use('2026-03-02T21:30:00', 1, { is_temp: true })], [], window)[0]?.minutes).toBe(1)
})

test('the goal is that of the newest plan of the evening, which is not known before the first', () => {
  const plans = [plan('2026-03-02', 100), plan('2026-03-03', 240)]
  const goals = nightsOf([], plans, { last: '2026-03-03', count: 3 }).map(({ goal }) => goal)
  expect(goals).toEqual([null, 100, 240])
})

test('a night in a pause reaches the goal of that plan, as in the list of the clinic', () => {
  const pause = { ...plan('2026-03-02', 240), nights_per_week: 0 }
  const window = { last: '2026-03-02', count: 1 }
  const [night] = nightsOf([use('2026-03-02T21:30:00', 240)], [pause], window)
  expect(night).toMatchObject({ goal: 240, isReached: true })
})

test('a use that has not ended loses contact too', () => {
  const lost = use('2026-03-02T21:30:00', 30, { is_temp: true, finish_flag: '4' })
  const short = use('2026-03-02T22:30:00', 1, { finish_flag: '4' })
  const [night] = nightsOf([lost, short], [], { last: '2026-03-02', count: 1 })
  expect(night?.losses).toBe(1)
})

test('a goal is reached by seconds', () => {
  const almost = use('2026-03-02T21:30:00', 240, { treatment_time: 240 * 60 - 1 })
  const window = { last: '2026-03-02', count: 1 }
  expect(nightsOf([almost], [plan('2026-03-01', 240)], window)[0]).toMatchObject({
    minutes: 239,
    isReached: false,
  })
})
