import { addDays, weekday } from '../../time/wall-clock.ts'
import { BLUE, FAINT_COLOR, INK, LINE_HEIGHT, QUIET_COLOR, RULE_COLOR, styles } from './palette.ts'
import { CONTENT_AREA, CONTENT_WIDTH } from './sheet.ts'
import type { Sheet } from './sheet.ts'
import { contactLossMark } from './time-chart.ts'

const MONTHS_A_ROW = 3
const CELL = 20
const GAP = (CONTENT_WIDTH - MONTHS_A_ROW * 7 * CELL) / (MONTHS_A_ROW - 1)
const HEAD = 2.25 * LINE_HEIGHT

/** Draws a calendar of the period's months with the days on which the device was used. Weeks run Sunday to Saturday. */
export function drawAdherence(sheet: Sheet): void {
  const { words, report } = sheet
  // The first page says that there is no record.
  if (report.figures.datesWithData === 0) return
  const months = monthsOf(report.period)
  sheet.section(words.calendar.title, 3 * LINE_HEIGHT + HEAD + 6 * CELL)
  sheet.paragraph(words.calendar.explained, styles.quiet)
  legend(sheet)
  sheet.y += 2.75 * LINE_HEIGHT
  const marks = marksOf(sheet)
  for (let row = 0; row < months.length; row += MONTHS_A_ROW) {
    const inRow = months.slice(row, row + MONTHS_A_ROW)
    const height = HEAD + Math.max(...inRow.map(weeksIn)) * CELL
    sheet.need(height)
    const { y } = sheet
    for (const [column, month] of inRow.entries()) {
      const x = CONTENT_AREA.left + column * (7 * CELL + GAP)
      sheet.tag('Figure', () => drawMonth(sheet, month, x, y, marks), { alt: altOf(sheet, month, marks) })
    }
    sheet.y += height + LINE_HEIGHT
  }
  sheet.y -= LINE_HEIGHT
  sheet.close()
}

interface Mark {
  isUsed: boolean
  /** Whether it has a record, though of uses that are too short to count. */
  isBrief: boolean
  hasLoss: boolean
  hasNote: boolean
}

/** Maps each date that counts to its mark. */
function marksOf({ report }: Sheet): ReadonlyMap<string, Mark> {
  const noted = new Set(report.events?.map(({ date }) => date))
  return new Map(
    report.nights
      .filter(({ counts }) => counts)
      .map((night) => [
        night.treatment_date,
        {
          isUsed: night.is_counted,
          isBrief: night.uses > 0 && !night.is_counted,
          hasLoss: night.contact_losses > 0,
          hasNote: noted.has(night.treatment_date),
        },
      ]),
  )
}

/** Returns the first day of each month that overlaps the period. */
function monthsOf({ first, last }: { first: string; last: string }): string[] {
  const months = [`${first.slice(0, 8)}01`]
  for (;;) {
    const next = `${addDays(months.at(-1) ?? first, 31).slice(0, 8)}01`
    if (next > last || next === months.at(-1)) return months
    months.push(next)
  }
}

const daysIn = (month: string) => {
  const days = Array.from({ length: 31 }, (_, index) => addDays(month, index))
  return days.filter((day, index) => day.startsWith(month.slice(0, 8)) && days.indexOf(day) === index)
}

const weeksIn = (month: string) => Math.ceil((weekday(month) + daysIn(month).length) / 7)

function drawMonth(
  { doc, type, words }: Sheet,
  month: string,
  x: number,
  y: number,
  marks: ReadonlyMap<string, Mark>,
): void {
  type.write(words.month(month), x, y + 0.75 * LINE_HEIGHT, styles.strong)
  for (const [column, name] of words.weekdays.entries()) {
    type.write(name, x + (column + 0.5) * CELL, y + 1.9 * LINE_HEIGHT, styles.label, 'center')
  }
  for (const [index, day] of daysIn(month).entries()) {
    const place = weekday(month) + index
    const left = x + (place % 7) * CELL
    const top = y + HEAD + Math.floor(place / 7) * CELL
    drawDay(doc, left, top, marks.get(day))
    const mark = marks.get(day)
    const color = mark ? (mark.isUsed ? '#ffffff' : INK) : FAINT_COLOR
    type.write(String(index + 1), left + CELL / 2, top + CELL / 2 + 2.6, { ...styles.label, color }, 'center')
  }
}

function drawDay(doc: PDFKit.PDFDocument, x: number, y: number, mark: Mark | undefined): void {
  if (!mark) return
  const box = doc.rect(x + 0.75, y + 0.75, CELL - 1.5, CELL - 1.5)
  if (mark.isUsed) box.fill(BLUE)
  else if (mark.isBrief) box.lineWidth(0.5).fillAndStroke(RULE_COLOR, QUIET_COLOR)
  else box.lineWidth(0.5).stroke(QUIET_COLOR)
  if (mark.hasLoss) {
    doc.rect(x + CELL - 7.4, y + 0.75, 6.65, 5.6).fill('#ffffff')
    contactLossMark(doc, x + CELL - 4, y + 5.8, 2.7)
  }
  if (mark.hasNote) {
    doc.rect(x + 4, y + CELL - 3.6, CELL - 8, 1.3).fill(mark.isUsed ? '#ffffff' : INK)
  }
}

function legend(sheet: Sheet): void {
  const { doc, type, words } = sheet
  const { used, noRecord, brief, loss, note } = words.calendar
  const plain = { isUsed: false, isBrief: false, hasLoss: false, hasNote: false }
  const marks = [...marksOf(sheet).values()]
  const entries = [
    { ...plain, label: used, isUsed: true },
    { ...plain, label: noRecord },
    ...(marks.some(({ isBrief }) => isBrief) ? [{ ...plain, label: brief, isBrief: true }] : []),
    { ...plain, label: loss, isUsed: true, hasLoss: true },
    { ...plain, label: note, isUsed: true, hasNote: true },
  ]
  let x: number = CONTENT_AREA.left
  const y = sheet.y + 0.5 * LINE_HEIGHT
  for (const { label, ...mark } of entries) {
    const at = x
    sheet.decorate(() => drawDay(doc, at, y, mark))
    sheet.tag('P', () => type.write(label, at + CELL + 4, y + CELL / 2 + 2.6, styles.label))
    x += CELL + 4 + type.width(label, styles.label) + 14
  }
}

function altOf({ words }: Sheet, month: string, marks: ReadonlyMap<string, Mark>): string {
  const days = daysIn(month)
  const used = days.filter((day) => marks.get(day)?.isUsed)
  const known = days.filter((day) => marks.has(day))
  return `${words.month(month)}: ${words.glance.ofNights(used.length, known.length)}`
}
