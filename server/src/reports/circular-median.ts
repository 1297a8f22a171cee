const MINUTES = 24 * 60

/**
 * The time of day, in minutes after midnight, from which all `times` together are nearest round the clock: 23:50 and
 * 00:10 lie 20 minutes apart. Of several such times the one in the middle; undefined without times.
 */
export function circularMedian(times: readonly number[]): number | undefined {
  const sums = times.map((time) => times.reduce((sum, other) => sum + Math.abs(arc(time, other)), 0))
  const least = Math.min(...sums)
  const [first, ...rest] = times.filter((_, index) => sums[index] === least)
  if (first === undefined) return undefined
  const offsets = [0, ...rest.map((time) => arc(first, time))]
  return Math.round(first + (Math.min(...offsets) + Math.max(...offsets)) / 2 + MINUTES) % MINUTES
}

/** From `from` to `to` the short way round, -720 to 719. */
const arc = (from: number, to: number) => ((to - from + 1.5 * MINUTES) % MINUTES) - MINUTES / 2
