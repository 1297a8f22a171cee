import { FAINT_COLOR, LINE_HEIGHT, QUIET_COLOR, RULE_COLOR, styles } from './palette.ts'
import { CONTENT_AREA } from './sheet.ts'
import type { Sheet } from './sheet.ts'
import type { Style } from './typesetting.ts'

export interface Column {
  /** The title on one line or two. */
  title: string | readonly [string, string]
  width: number
  align: 'left' | 'right'
}

export interface Row {
  cells: readonly string[]
  /** Whether a rule is drawn above the row. */
  isParted?: boolean
  style?: Style
}

/** The least space between two cells. */
const BETWEEN = 3

/** Draws a table and repeats its head on every page. */
export function drawGrid(sheet: Sheet, columns: readonly Column[], rows: readonly Row[]): void {
  sheet.open('Table')
  drawHead(sheet, columns)
  for (const row of rows) {
    if (sheet.need(LINE_HEIGHT)) drawHead(sheet, columns)
    else if (row.isParted) line(sheet, sheet.y + 0.5, 0.35, RULE_COLOR)
    const baseline = sheet.y + 0.75 * LINE_HEIGHT
    sheet.open('TR')
    eachColumn(columns, (column, x, index) => {
      const text = row.cells[index] ?? ''
      const style = text === '–' ? { ...styles.cell, color: FAINT_COLOR } : (row.style ?? styles.cell)
      const options = index === 0 ? { scope: 'Row' as const } : {}
      const fitting = sheet.type.shrink(text, style, column.width - BETWEEN)
      sheet.tag(
        index === 0 ? 'TH' : 'TD',
        () => sheet.type.write(text, x, baseline, fitting, column.align),
        options,
      )
    })
    sheet.close()
    sheet.y += LINE_HEIGHT
  }
  line(sheet, sheet.y + 1, 0.5, QUIET_COLOR)
  sheet.close()
}

function drawHead(sheet: Sheet, columns: readonly Column[]): void {
  const lines = Math.max(...columns.map(({ title }) => (typeof title === 'string' ? 1 : 2)))
  const last = sheet.y + (lines - 0.25) * LINE_HEIGHT
  sheet.open('TR')
  eachColumn(columns, ({ title, align, width }, x) => {
    const [first, second] = typeof title === 'string' ? ['', title] : title
    sheet.tag(
      'TH',
      () => {
        for (const [text, y] of [
          [first, last - 0.8 * LINE_HEIGHT],
          [second, last],
        ] as const)
          if (text)
            sheet.type.write(text, x, y, sheet.type.shrink(text, styles.labelStrong, width - BETWEEN), align)
      },
      { scope: 'Column' },
    )
  })
  sheet.close()
  sheet.y += lines * LINE_HEIGHT + 0.25 * LINE_HEIGHT
  line(sheet, sheet.y - 1, 0.5, QUIET_COLOR)
}

function eachColumn(
  columns: readonly Column[],
  visit: (column: Column, x: number, index: number) => void,
): void {
  let x: number = CONTENT_AREA.left
  for (const [index, column] of columns.entries()) {
    visit(column, column.align === 'left' ? x : x + column.width, index)
    x += column.width
  }
}

function line({ doc, decorate }: Sheet, y: number, width: number, color: string): void {
  decorate(
    () => void doc.moveTo(CONTENT_AREA.left, y).lineTo(CONTENT_AREA.right, y).lineWidth(width).stroke(color),
  )
}
