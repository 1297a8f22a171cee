import { usageChartOf } from '../charts/usage-chart.ts'
import { median } from '../time/median.ts'
import type { ReportDay } from './report-data.ts'

/** Figures of a period; times are in seconds. See docs/decisions/first-page-of-a-report.md for their definitions. */
export interface Figures {
  /** The nights that count: past ones since the first pairing, and any with a record. */
  nightsCounted: number
  /** The nights that the calendar marks as used. */
  nightsUsed: number
  /** The nights with any record; means and the median are taken over these, as in the charts. */
  nightsWithData: number
  /** The nights whose usage time reaches the goal. */
  nightsAtGoal: number
  meanTime: number
  /** The mean over all nights that count; one without a record adds nothing to the sum. */
  meanTimeOfAll: number
  medianTime: number
  totalTime: number
  /** The most nights in a row that count and have no record; of several such gaps the latest. */
  longestGap: Gap | undefined
  meanIntensity: number
  meanMovement: number
  contactLosses: number
  nightsWithLosses: number
}

export interface Gap {
  nights: number
  first: string
  last: string
}

/** A date of a report, and whether it counts. */
export interface CountedDay extends ReportDay {
  counts: boolean
}

/**
 * Whether a date counts: it has a record, or it has passed and the child had got a device by then. Tonight's record may
 * still come, and a date before the pairing could have none.
 */
export const doesCount = (
  { treatment_date, uses }: ReportDay,
  { today, pairedOn }: { today: string; pairedOn: string | null },
): boolean => uses > 0 || (pairedOn !== null && treatment_date >= pairedOn && treatment_date < today)

/** Computes the figures of `days`, which are ascending dates; the goal is in seconds. */
export function figuresOf(days: readonly CountedDay[], goal: number): Figures {
  const counted = days.filter(({ counts }) => counts)
  const used = days.filter(({ uses }) => uses > 0)
  const times = used.map((day) => day.treatment_time ?? 0)
  const totalTime = sum(times)
  const chart = usageChartOf(used)
  return {
    nightsCounted: counted.length,
    nightsUsed: used.filter((day) => day.is_counted).length,
    nightsWithData: used.length,
    nightsAtGoal: times.filter((time) => time >= goal).length,
    meanTime: chart.avg_treatment_time,
    meanTimeOfAll: counted.length === 0 ? 0 : totalTime / counted.length,
    medianTime: median(times),
    totalTime,
    longestGap: longestGapOf(counted),
    meanIntensity: chart.avg_treatment_intensity,
    meanMovement: chart.avg_movement,
    contactLosses: sum(used.map((day) => day.contact_losses)),
    nightsWithLosses: used.filter((day) => day.contact_losses > 0).length,
  }
}

function longestGapOf(counted: readonly CountedDay[]): Gap | undefined {
  let longest: Gap | undefined
  let current: Gap | undefined
  for (const { treatment_date: date, uses } of counted) {
    current =
      uses > 0 ? undefined : { nights: (current?.nights ?? 0) + 1, first: current?.first ?? date, last: date }
    if (current && current.nights >= (longest?.nights ?? 0)) longest = current
  }
  return longest
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
