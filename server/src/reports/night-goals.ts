import type { CountedDay } from './adherence-figures.ts'

/** The goal of the evenings from a date on, until the next goal. */
export interface NightGoal {
  first: string
  minutes: number
  setBy: 'service' | 'parent' | 'clinic'
}

/** The goals of ascending evenings, each named once for all evenings in a row that have it. */
export function goalsOf(days: readonly CountedDay[]): [NightGoal, ...NightGoal[]] | [] {
  const goals: NightGoal[] = []
  for (const { treatment_date: first, goal_minutes: minutes, goal_set_by } of days) {
    const setBy = goal_set_by ?? 'service'
    const last = goals.at(-1)
    if (!last || last.minutes !== minutes || last.setBy !== setBy) goals.push({ first, minutes, setBy })
  }
  const [first, ...more] = goals
  return first ? [first, ...more] : []
}
