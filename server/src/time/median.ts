/** The middle of the values, the mean of the two middle ones, or 0 without any. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1)
  return middle.reduce((total, value) => total + value, 0) / Math.max(1, middle.length)
}
