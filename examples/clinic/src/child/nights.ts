import type { TreatmentPage } from '@companion/sdk'
import { addDays } from '../time/dates'
import type { CalendarDate } from '../time/dates'

/** What of a use of the device is looked at. */
export type Use = Pick<
  TreatmentPage['items'][number],
  'treatment_date' | 'treatment_time' | 'finish_flag' | 'is_temp'
>

/** A plan from an evening on. */
export interface PlanFrom {
  from: CalendarDate
  minutes: number
}

/** A night lasts from noon to noon on the device's wall clock, and bears the date of its evening. */
export interface Night {
  date: CalendarDate
  /** Whole minutes of use; 0 of a night without any. */
  minutes: number
  /** The minutes that the plan in force asks for, in a pause too; null without a plan: then the usual goal of the service counts. */
  goal: number | null
  isReached: boolean
  /** How often the electrodes lost contact. */
  losses: number
  /** When the first use began, on the device's wall clock; null of a night without any. */
  start: string | null
}

const eveningOf = ({ treatment_date }: Use): CalendarDate =>
  Number(treatment_date.slice(11, 13)) < 12
    ? addDays(treatment_date.slice(0, 10), -1)
    : treatment_date.slice(0, 10)

/** Below this, a complete use counts for nothing, as in the calendar. */
const FEWEST_SECONDS = 120
const LOST_CONTACT = '4'

const goalOn = (date: CalendarDate, plans: readonly PlanFrom[]): number | null =>
  plans.findLast(({ from }) => from <= date)?.minutes ?? null

/**
 * The nights of `count` evenings that end with `last`, ascending. `uses` may hold others; `plans` ascend by `from`. A night that
 * reaches its goal does so in seconds, before they are rounded down to minutes.
 */
export function nightsOf(
  uses: readonly Use[],
  plans: readonly PlanFrom[],
  { last, count }: { last: CalendarDate; count: number },
): Night[] {
  const byEvening = Map.groupBy(
    uses.filter(({ is_temp, treatment_time }) => is_temp || treatment_time >= FEWEST_SECONDS),
    eveningOf,
  )
  return Array.from({ length: count }, (_, index) => {
    const date = addDays(last, index - count + 1)
    const found = byEvening.get(date) ?? []
    const seconds = found.reduce((sum, { treatment_time }) => sum + treatment_time, 0)
    const goal = goalOn(date, plans)
    return {
      date,
      minutes: Math.floor(seconds / 60),
      goal,
      isReached: goal !== null && seconds >= goal * 60,
      losses: found.filter(({ finish_flag }) => finish_flag === LOST_CONTACT).length,
      start: found.map(({ treatment_date }) => treatment_date).toSorted()[0] ?? null,
    }
  })
}
