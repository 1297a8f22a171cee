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

/** The number of columns at which every name fits in two lines: one for each name, or half as many, or a single one. */
export function columnsFor(names: readonly string[], width: number, scale: number): number {
  const widest = Math.max(...names.map(foldedWidth)) * scale
  const fits = (columns: number) => widest <= (width - PADDING - GAP * (columns - 1)) / columns - MARGIN
  return [names.length, names.length / 2].find((columns) => Number.isInteger(columns) && fits(columns)) ?? 1
}
