const MINUTES = 24 * 60

/**
 * Returns the time of day, in minutes after midnight, with the smallest total distance to all `times` around the clock:
 * 23:50 and 00:10 are 20 minutes apart. Of several such times it returns the middle one; without times, undefined.
 */
export function circularMedian(times: readonly number[]): number | undefined {
  const sums = times.map((time) => times.reduce((sum, other) => sum + Math.abs(arc(time, other)), 0))
  const least = Math.min(...sums)
  const [first, ...rest] = times.filter((_, index) => sums[index] === least)
  if (first === undefined) return undefined
  const offsets = [0, ...rest.map((time) => arc(first, time))]
  return Math.round(first + (Math.min(...offsets) + Math.max(...offsets)) / 2 + MINUTES) % MINUTES
}

/** The shortest way around the clock from `from` to `to`, in minutes from -720 to below 720. */
const arc = (from: number, to: number) => ((to - from + 1.5 * MINUTES) % MINUTES) - MINUTES / 2
