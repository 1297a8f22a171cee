/** The width of a name in 14-point text, in points. Korean letters are as wide as they are high. */
const widthOf = (words: readonly string[]): number =>
  Array.from(words.join(' ')).reduce((width, letter) => width + (letter > '⺀' ? 14 : 7.2), 0)

/** The width of a name broken into two lines at the best place. */
function foldedWidth(name: string): number {
  const words = name.split(' ')
  return Math.min(
    ...words.map((_, first) => Math.max(widthOf(words.slice(0, first)), widthOf(words.slice(first)))),
  )
}

const PADDING = 8
const GAP = 4
/** The space around a name within its column. */
const MARGIN = 15

/** The least width of an option, for fingers. */
const LEAST = 44

/**
 * The number of columns at which every name fits in two lines: one for each name, or half as many, or a single one. Only more
 * than four names, which may be as short as digits, may leave a place of the last row empty.
 */
export function columnsFor(names: readonly string[], width: number, scale: number): number {
  const widest = Math.max(LEAST, Math.max(...names.map(foldedWidth)) * scale + MARGIN)
  const fits = (columns: number) => widest <= (width - PADDING - GAP * (columns - 1)) / columns
  const half = names.length > 4 ? Math.ceil(names.length / 2) : names.length / 2
  return [names.length, half].find((columns) => Number.isInteger(columns) && fits(columns)) ?? 1
}
