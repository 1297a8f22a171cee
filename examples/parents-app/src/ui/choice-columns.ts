/** How wide a name gets, in points of 14-point text: Korean letters are as wide as they are high. */
const widthOf = (words: readonly string[]): number =>
  Array.from(words.join(' ')).reduce((width, letter) => width + (letter > '⺀' ? 14 : 7.2), 0)

/** The same in the better of two lines. */
function foldedWidth(name: string): number {
  const words = name.split(' ')
  return Math.min(
    ...words.map((_, first) => Math.max(widthOf(words.slice(0, first)), widthOf(words.slice(first)))),
  )
}

const PADDING = 8
const GAP = 4
/** What a name keeps clear of within its column. */
const MARGIN = 15

/** In how many columns a choice stands: one for each name, else half as many, else one, so that names stay in two lines. */
export function columnsFor(names: readonly string[], width: number, scale: number): number {
  const widest = Math.max(...names.map(foldedWidth)) * scale
  const fits = (columns: number) => widest <= (width - PADDING - GAP * (columns - 1)) / columns - MARGIN
  return [names.length, names.length / 2].find((columns) => Number.isInteger(columns) && fits(columns)) ?? 1
}
