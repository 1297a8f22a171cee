import { expect, test } from 'vitest'
import {
  lastOfPause,
  planOn,
  readBedtime,
  readHours,
  stepsOfPauseEnd,
  stepsOfPause,
  writeHours,
} from './plan'
import type { Plan } from './plan'

const plan = (plan_id: number, from: string, nights_per_week = 5, minutes = 420): Plan => ({
  plan_id,
  real_user_id: 1,
  from,
  nights_per_week,
  minutes,
  bedtime: nights_per_week === 0 ? null : '21:00',
  set_by: 'parent',
  set_at: '2026-03-01T10:00:00.000Z',
})
const goal = { nights_per_week: 5, minutes: 420, bedtime: '21:00' }
const rest = { nights_per_week: 0, minutes: 420, bedtime: null }

test('the newest plan that has begun is in force', () => {
  const plans = [plan(1, '2026-03-01'), plan(2, '2026-03-08')]
  expect(planOn(plans, '2026-02-28')).toBeUndefined()
  expect(planOn(plans, '2026-03-07')?.plan_id).toBe(1)
  expect(planOn(plans, '2026-03-08')?.plan_id).toBe(2)
})

test('after a holiday, the plan goes on', () => {
  expect(stepsOfPause([plan(1, '2026-03-01')], '2026-04-01', '2026-04-10')).toEqual({
    set: [
      { ...goal, from: '2026-04-11' },
      { ...rest, from: '2026-04-01' },
    ],
    remove: [],
  })
})

test('a plan that begins within the holiday begins after it, and one after it stays', () => {
  const plans = [plan(1, '2026-03-01'), plan(2, '2026-04-05', 7, 480)]
  expect(stepsOfPause(plans, '2026-04-01', '2026-04-10')).toEqual({
    set: [
      { ...goal, nights_per_week: 7, minutes: 480, from: '2026-04-11' },
      { ...rest, from: '2026-04-01' },
    ],
    remove: [2],
  })
  expect(stepsOfPause(plans, '2026-04-01', '2026-04-04')).toEqual({
    set: [{ ...rest, from: '2026-04-01' }],
    remove: [],
  })
})

test('a pause ends with what resumes the plan from before, and leaves another plan', () => {
  const pause = plan(2, '2026-04-01', 0)
  const resumed = [plan(1, '2026-03-01'), pause, plan(3, '2026-04-11')]
  expect(lastOfPause(resumed, pause)).toBe('2026-04-10')
  expect(stepsOfPauseEnd(resumed, pause)).toEqual({ set: [], remove: [2, 3] })
  const another = [plan(1, '2026-03-01'), pause, plan(3, '2026-04-11', 7)]
  expect(stepsOfPauseEnd(another, pause)).toEqual({ set: [], remove: [2] })
  expect(lastOfPause([pause], pause)).toBeUndefined()
  expect(stepsOfPauseEnd([pause], pause)).toEqual({ set: [], remove: [2] })
  // The pause took the place of the only plan.
  expect(stepsOfPauseEnd([pause, plan(3, '2026-04-11')], pause)).toEqual({
    set: [{ ...goal, from: '2026-04-01' }],
    remove: [3],
  })
})

test('hours and bedtimes are read as people type them', () => {
  expect(['7', '7:30', '7.5', '7,5', ' 12 ', '24'].map(readHours)).toEqual([420, 450, 450, 450, 720, 1440])
  expect(['', '0', '25', '7:60', 'x', '-1', '7.55'].map(readHours)).toEqual(Array(7).fill(undefined))
  expect([420, 455].map(writeHours)).toEqual(['7:00', '7:35'])
  expect(['', '21:00', '9:05', '00:30'].map(readBedtime)).toEqual([null, '21:00', '09:05', '00:30'])
  expect(['24:00', '9', '21.00'].map(readBedtime)).toEqual([undefined, undefined, undefined])
})
