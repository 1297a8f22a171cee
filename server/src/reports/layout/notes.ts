import type { Words } from '../languages/words.ts'
import type { ReportNote } from '../shorten-notes.ts'
import { LINE, styles } from './palette.ts'
import { PAGE, WIDTH } from './sheet.ts'
import type { Sheet } from './sheet.ts'
import { lineOf } from './writing-direction.ts'

const DATES = 108
const LABELS = 54

/** Draws a table of the notes: date, medication, hospital visits and memo. */
export function drawNotes(sheet: Sheet): void {
  const { words, report } = sheet
  sheet.section(words.notes.title, 3 * LINE)
  if (report.events.length === 0) sheet.paragraph(words.notes.none, styles.quiet)
  else sheet.open('L')
  for (const event of report.events) drawEvent(sheet, event)
  if (report.events.length > 0) sheet.close()
  sheet.close()
}

interface NoteLine {
  label: string
  text: string
}

function drawEvent(sheet: Sheet, event: ReportNote): void {
  const { type, words } = sheet
  const width = WIDTH - DATES - LABELS
  const lines = contentOf(event, words).flatMap(({ label, text }) =>
    type.wrap(text, styles.body, width).map((line, index) => ({ label: index === 0 ? label : '', line })),
  )
  sheet.need(Math.min(lines.length, 3) * LINE)
  sheet.open('LI')
  for (let isFirst = true; lines.length > 0; isFirst = false) {
    // Avoid a single line at the foot of a page or at the top of the next.
    const fitting = Math.floor((PAGE.bottom - sheet.y) / LINE)
    const chunk = lines.splice(
      0,
      lines.length === fitting + 1 ? Math.max(1, fitting - 1) : Math.max(1, fitting),
    )
    const { y } = sheet
    const date = isFirst
      ? words.date(event.date)
      : `${words.shortDate(event.date)} (${words.notes.continued})`
    sheet.tag('Lbl', () => {
      type.write(date, PAGE.left, y + 0.75 * LINE, isFirst ? styles.cellStrong : styles.quiet)
    })
    sheet.tag('LBody', () => {
      for (const [index, { label, line }] of chunk.entries()) {
        const baseline = y + (index + 0.75) * LINE
        if (label) type.write(label, PAGE.left + DATES, baseline, styles.quiet)
        if (line.isRightToLeft) type.write(line, PAGE.right, baseline, styles.body, 'right')
        else type.write(line, PAGE.left + DATES + LABELS, baseline, styles.body)
      }
    })
    sheet.y += chunk.length * LINE
    if (lines.length > 0) sheet.need(PAGE.bottom)
  }
  sheet.close()
  sheet.y += 0.5 * LINE
}

function contentOf({ medication, hospital, memo, more }: ReportNote, { notes }: Words): NoteLine[] {
  const list = (label: string, entries: readonly string[], moreCount: number): NoteLine[] =>
    [...entries, ...(moreCount > 0 ? [notes.more(moreCount)] : [])].map((text, index) => ({
      label: index === 0 ? label : '',
      text: text.replaceAll(/[\r\n\u2028\u2029]+/g, ' '),
    }))
  const doses = medication.flatMap(({ medication_name, medication_dose }) => {
    const dose = notes.dose(medication_dose)
    // On a line that runs from right to left, the dose would come to stand before a figure in the name.
    return lineOf(medication_name).isRightToLeft ? [medication_name, dose] : [`${medication_name}, ${dose}`]
  })
  return [
    ...list(notes.medication, doses, more.medication),
    ...list(notes.hospital, hospital, more.hospital),
    { label: notes.memo, text: memo.trim() },
  ].filter(({ text }) => text !== '')
}
