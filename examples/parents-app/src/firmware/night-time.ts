import { planOn } from '../plans/plan'
import type { Plan } from '../plans/plan'
import { addDays } from '../time/dates'

/** The bedtime of children without a plan that says one. */
const BEDTIME = '20:00'
const NOON = '12:00'

/**
 * Whether a child may be asleep with the device: from the bedtime of the plan in force until noon. `now` is a wall clock time.
 * A bedtime after midnight belongs to the same night.
 */
export function isNightTime(plans: readonly Pick<Plan, 'from' | 'bedtime'>[], now: string): boolean {
  const [date, clock] = [now.slice(0, 10), now.slice(11, 16)]
  const isMorning = clock < NOON
  const bedtime = planOn(plans, isMorning ? addDays(date, -1) : date)?.bedtime ?? BEDTIME
  if (isMorning) return bedtime >= NOON || clock >= bedtime
  return bedtime >= NOON && clock >= bedtime
}
