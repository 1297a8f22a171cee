import type { Outputs, SetPlanInput } from '@companion/sdk'
import { addDays } from '../time/dates'
import type { CalendarDate } from '../time/dates'

export type Plan = Outputs['plans']['list']['plans'][number]

/** What a plan asks for, beside when it begins. */
type Goal = Pick<Plan, 'nights_per_week' | 'minutes' | 'bedtime'>

const goalOf = ({ nights_per_week, minutes, bedtime }: Goal): Goal => ({ nights_per_week, minutes, bedtime })

export const isPause = ({ nights_per_week }: Pick<Plan, 'nights_per_week'>): boolean => nights_per_week === 0

/** The plan in force on an evening, of plans ascending by their first evening. */
export const planOn = <One extends Pick<Plan, 'from'>>(
  plans: readonly One[],
  evening: CalendarDate,
): One | undefined =>
  plans.reduce<One | undefined>((found, plan) => (plan.from <= evening ? plan : found), undefined)

/** The newest plan that has begun and is no pause. */
export const goalBefore = (plans: readonly Plan[], evening: CalendarDate): Plan | undefined =>
  planOn(
    plans.filter((plan) => !isPause(plan)),
    evening,
  )

/** The plan after a plan. */
const planAfter = (plans: readonly Plan[], { from }: Plan) => plans.find((plan) => plan.from > from)

export interface PlanChanges {
  set: Omit<SetPlanInput, 'real_user_id'>[]
  /** The ids of plans. */
  remove: number[]
}

/**
 * What pauses a child's plan from one evening to another: first the plan that goes on afterwards, so that nothing is lost if
 * a later step does not succeed, then the pause. Plans that would end the pause too early go.
 */
export function stepsOfPause(plans: readonly Plan[], first: CalendarDate, last: CalendarDate): PlanChanges {
  const next = addDays(last, 1)
  const after = planOn(plans, next)
  // The goal of a pause is never asked for, but the service wants one.
  const minutes = (goalBefore(plans, first) ?? after)?.minutes ?? 1
  return {
    set: [
      ...(after && after.from !== next ? [{ ...goalOf(after), from: next }] : []),
      { nights_per_week: 0, minutes, bedtime: null, from: first },
    ],
    remove: plans.filter(({ from }) => from > first && from <= last).map(({ plan_id }) => plan_id),
  }
}

/** The last evening of a pause; undefined while none is known. */
export function lastOfPause(plans: readonly Plan[], pause: Plan): CalendarDate | undefined {
  const after = planAfter(plans, pause)
  return after && addDays(after.from, -1)
}

/**
 * What ends a pause: the plan from before is in force again, and a plan that only takes it up later goes. Without a plan from
 * before, because the pause took the place of one that began on the same evening, the plan after it begins at once.
 */
export function stepsOfPauseEnd(plans: readonly Plan[], pause: Plan): PlanChanges {
  const before = planOn(plans, addDays(pause.from, -1))
  const after = planAfter(plans, pause)
  if (after && (!before || isPause(before)))
    return { set: [{ ...goalOf(after), from: pause.from }], remove: [after.plan_id] }
  const isResumption = before && after && JSON.stringify(goalOf(before)) === JSON.stringify(goalOf(after))
  return { set: [], remove: [pause.plan_id, ...(isResumption ? [after.plan_id] : [])] }
}

/** Typed hours of use, such as 7, 7.5, 7,5 or 7:30, as whole minutes from 1 to 1,440. */
export function readHours(typed: string): number | undefined {
  const [, hours = '', minutes, tenths] = /^(\d{1,2})(?::([0-5]\d)|[.,](\d))?$/.exec(typed.trim()) ?? []
  if (hours === '') return undefined
  const read = 60 * Number(hours) + Number(minutes ?? 0) + 6 * Number(tenths ?? 0)
  return read >= 1 && read <= 1440 ? read : undefined
}

/** Minutes as they are typed: 7:30. */
export const writeHours = (minutes: number): string =>
  `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`

/** A typed bedtime, such as 9:00 or 21:00, as `hh:mm`; null if none is typed, undefined if it is no time. */
export function readBedtime(typed: string): string | null | undefined {
  const text = typed.trim()
  if (text === '') return null
  return /^([01]?\d|2[0-3]):[0-5]\d$/.test(text) ? text.padStart(5, '0') : undefined
}
