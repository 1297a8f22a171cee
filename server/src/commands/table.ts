/** A cell; null, undefined and an empty text are shown as `-`. */
type Cell = string | number | bigint | Date | null | undefined

/**
 * Formats rows under their headers in aligned columns, numbers to the right, times in UTC. Without rows, it returns
 * `nothing`.
 */
export function table(
  headers: readonly string[],
  rows: readonly (readonly Cell[])[],
  nothing: string,
): string {
  if (rows.length === 0) return nothing
  const texts = rows.map((row) => row.map(shown))
  const columns = headers.map((header, index) => ({
    width: Math.max(...[header, ...texts.map((row) => row[index] ?? '')].map(width)),
    isNumeric: rows.every((row) => ['number', 'bigint'].includes(typeof row[index])),
  }))
  const lines = [headers.map((header) => header.toUpperCase()), ...texts].map((cells) =>
    columns
      .map(({ width: most, isNumeric }, index) => {
        const cell = cells[index] ?? ''
        const space = ' '.repeat(most - width(cell))
        return isNumeric ? space + cell : cell + space
      })
      .join('  ')
      .trimEnd(),
  )
  return lines.join('\n')
}

/** Formats the fields of one thing, a line for each. */
export function fieldLines(fields: Readonly<Record<string, Cell>>): string {
  const most = Math.max(...Object.keys(fields).map((name) => name.length))
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(most)}  ${shown(value)}`)
    .join('\n')
}

/** A number of things in words: `1 child`, `2 children`. */
export const formatCount = (number: number, one: string, several = `${one}s`): string =>
  `${number} ${number === 1 ? one : several}`

function shown(cell: Cell): string {
  if (cell instanceof Date) return cell.toISOString().replace(/\.\d+Z$/, 'Z')
  return String(cell ?? '') || '-'
}

/** Hangul and other East Asian characters take two columns of a terminal. */
const width = (text: string) =>
  Array.from(text).length +
  (text.match(/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uff00-\uff60]/gu)?.length ?? 0)
