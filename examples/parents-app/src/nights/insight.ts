import type { Outputs } from '@companion/sdk'
import { addDays, daysBetween } from '../time/dates'
import type { CalendarDate } from '../time/dates'

/** How the nights of a child go, by the service's one definition of a night. */
export type NightsInsight = Outputs['nights']['insight']
export type Week = NightsInsight['week']
export type MissingNights = NonNullable<NightsInsight['missing']>

/** A difference below this, in minutes, is none. */
const SAME = 15

export interface Comparison {
  kind: 'more' | 'less' | 'usual'
  /** Minutes between the two. */
  difference: number
}

/** Compares the length of a night, or an average of several, with a usual one, both in whole minutes. */
export function compareNightLength(minutes: number, usual: number): Comparison {
  const more = minutes - usual
  const kind = Math.abs(more) < SAME ? 'usual' : more > 0 ? 'more' : 'less'
  return { kind, difference: Math.abs(more) }
}

/** From this many nights without a record on, the app says more plainly what to do. */
const SILENT = 3

/** The evenings up to yesterday's since that of the newest record. Without a record in `known` days, all of these. */
export const silentNights = (newest: CalendarDate | undefined, today: CalendarDate, known: number): number =>
  Math.max(0, newest === undefined ? known : daysBetween(newest, addDays(today, -1)))

export const isSilent = (nights: number): boolean => nights >= SILENT
