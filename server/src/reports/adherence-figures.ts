import { usageChartOf } from '../charts/usage-chart.ts'
import { median } from '../time/median.ts'
import type { ReportDay } from './report-data.ts'

/** Figures of a period; times are in seconds. See docs/decisions/first-page-of-a-report.md for their definitions. */
export interface AdherenceFigures {
  /** The evenings that count: those that have passed since the first pairing or record. */
  nightsCounted: number
  /** Of these, the nights with any record, and those that are used, as `nights_of` says. */
  nightsWithData: number
  nightsUsed: number
  /** The used nights that reach the goal of their evening. */
  nightsAtGoal: number
  /** The mean and the median of the used nights. */
  meanTime: number
  medianTime: number
  /** The mean of all nights that count; one that is not used adds nothing to the sum. */
  meanTimeOfAll: number
  totalTime: number
  /** The most nights in a row that count and are not used; of several such gaps the latest. */
  longestGap: Gap | undefined
  contactLosses: number
  nightsWithLosses: number
  /** The dates with a record; the means below are those of charts, over these dates. */
  datesWithData: number
  meanTimeOfDates: number
  meanIntensity: number
  meanMovement: number
}

export interface Gap {
  nights: number
  first: string
  last: string
}

/** A date of a report, and whether the date and the night that begins on it count. */
export interface CountedDay extends ReportDay {
  counts: boolean
  nightCounts: boolean
}

/** Judges a date. A clinician must not take tonight, or a date before the child had a device, for one without use. */
export const toCountedDay = (
  day: ReportDay,
  { today, begunOn, firstEvening }: { today: string; begunOn: string | null; firstEvening: string | null },
): CountedDay => {
  const { treatment_date: date, uses } = day
  return {
    ...day,
    counts: uses > 0 || (begunOn !== null && date >= begunOn && date < today),
    nightCounts: firstEvening !== null && date >= firstEvening && date < today,
  }
}

/** Computes the figures of `days`, which are ascending dates. */
export function computeAdherenceFigures(days: readonly CountedDay[]): AdherenceFigures {
  const counted = days.filter(({ nightCounts }) => nightCounts)
  const used = counted.filter(isUsed)
  const times = used.map(({ night_time }) => night_time)
  const totalTime = sum(times)
  const dates = days.filter(({ uses }) => uses > 0)
  const chart = usageChartOf(dates)
  return {
    nightsCounted: counted.length,
    nightsWithData: counted.filter((day) => day.has_night_record).length,
    nightsUsed: used.length,
    nightsAtGoal: used.filter((day) => day.has_reached).length,
    meanTime: used.length === 0 ? 0 : totalTime / used.length,
    medianTime: median(times),
    meanTimeOfAll: counted.length === 0 ? 0 : totalTime / counted.length,
    totalTime,
    longestGap: longestGapOf(counted),
    contactLosses: sum(used.map((day) => day.night_losses)),
    nightsWithLosses: used.filter((day) => day.night_losses > 0).length,
    datesWithData: dates.length,
    meanTimeOfDates: chart.avg_treatment_time,
    meanIntensity: chart.avg_treatment_intensity,
    meanMovement: chart.avg_movement,
  }
}

/** Whether the night that begins on a date is used. */
export const isUsed = <Day extends ReportDay>(day: Day): day is Day & { night_time: number } =>
  day.night_time !== null

function longestGapOf(counted: readonly CountedDay[]): Gap | undefined {
  let longest: Gap | undefined
  let current: Gap | undefined
  for (const day of counted) {
    const date = day.treatment_date
    current = isUsed(day)
      ? undefined
      : { nights: (current?.nights ?? 0) + 1, first: current?.first ?? date, last: date }
    if (current && current.nights >= (longest?.nights ?? 0)) longest = current
  }
  return longest
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
