import { countDays } from '../../time/report-period.ts'
import { addDays, daysBetween, weekday } from '../../time/wall-clock.ts'
import { isUsed } from '../adherence-figures.ts'
import type { CountedDay } from '../adherence-figures.ts'
import type { Report } from '../report.ts'

/** The maximum number of dates that are shown each; of a longer period, each week is. */
const MOST_DAYS = 100

/** A stretch of dates that is shown as one: a date or a week. */
export interface Bucket {
  first: string
  last: string
  /** The days from the first date of the period to the first of this, and to the one after its last. */
  from: number
  to: number
  /** The dates of it that have come. */
  nights: readonly CountedDay[]
}

type Shown = Pick<Report, 'period' | 'nights'>

/** Whether the period is so long that weeks are shown instead of dates. */
export const isByWeek = ({ period }: Pick<Report, 'period'>): boolean => countDays(period) > MOST_DAYS

/** Splits the dates of a report that have come into dates, or into weeks from Sunday to Saturday. */
export function bucketsOf(report: Shown): Bucket[] {
  const buckets: CountedDay[][] = []
  for (const night of report.nights) {
    const last = buckets.at(-1)
    if (last && isByWeek(report) && weekday(night.treatment_date) > 0) last.push(night)
    else buckets.push([night])
  }
  const { first: begin, last: end } = report.period
  return buckets.map((nights) => {
    const first = nights[0]?.treatment_date ?? begin
    const whole = isByWeek(report) ? addDays(first, 6 - weekday(first)) : first
    const last = whole < end ? whole : end
    return { first, last, from: daysBetween(begin, first), to: daysBetween(begin, last) + 1, nights }
  })
}

/** The mean of each bucket over the dates that have a value; null without one. */
export const bucketMeans = (
  buckets: readonly Bucket[],
  read: (night: CountedDay) => number | null,
): (number | null)[] =>
  buckets.map(({ nights }) => {
    const known = nights.map(read).filter((value) => value !== null)
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length
  })

/** The contact losses of a bucket's used nights; null without one. */
export function contactLossesOf({ nights }: Bucket): number | null {
  const used = nights.filter((night) => night.nightCounts && isUsed(night))
  return used.length === 0 ? null : used.reduce((sum, night) => sum + night.night_losses, 0)
}

/** The indexes of the buckets that `test` accepts. */
export const findBucketIndexes = (
  buckets: readonly Bucket[],
  test: (bucket: Bucket, index: number) => boolean,
): ReadonlySet<number> => new Set(buckets.flatMap((bucket, index) => (test(bucket, index) ? [index] : [])))
