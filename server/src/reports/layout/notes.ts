import { addDays } from '../../time/wall-clock.ts'
import { isUsed } from '../adherence-figures.ts'
import type { CountedDay } from '../adherence-figures.ts'
import type { Words } from '../languages/words.ts'
import type { ReportNote } from '../shorten-notes.ts'
import { hourMinute } from './figures.ts'
import { LINE_HEIGHT, styles } from './palette.ts'
import { CONTENT_AREA, CONTENT_WIDTH } from './sheet.ts'
import type { Sheet } from './sheet.ts'
import { computeBidiLine } from './writing-direction.ts'

const DATES = 108
const LABELS = 54

/**
 * Draws a table of the notes: date, medication, hospital visits and memo, and below the date the night that the note is about,
 * with its usage time.
 */
export function drawNotes(sheet: Sheet): void {
  const { words, report } = sheet
  const { events, nights } = report
  // The first page says that there are none.
  if (!events || events.length === 0) return
  const known = new Map(nights.map((night) => [night.treatment_date, night]))
  sheet.section(words.notes.title, 4 * LINE_HEIGHT)
  sheet.paragraph(words.notes.explained, styles.quiet)
  sheet.y += 0.25 * LINE_HEIGHT
  sheet.open('L')
  for (const event of events) drawEvent(sheet, event, nightText(event.night, known.get(event.night), words))
  sheet.close()
  sheet.close()
}

function nightText(evening: string, night: CountedDay | undefined, { notes, shortDate, strips }: Words) {
  const dates = notes.night(shortDate(evening), shortDate(addDays(evening, 1)))
  if (!night) return dates
  if (isUsed(night)) return `${dates}: ${hourMinute(night.night_time)}`
  return night.nightCounts && !night.has_night_record ? `${dates}: ${strips.none}` : dates
}

interface NoteLine {
  label: string
  text: string
}

function drawEvent(sheet: Sheet, event: ReportNote, night: string): void {
  const { type, words } = sheet
  const width = CONTENT_WIDTH - DATES - LABELS
  const lines = contentOf(event, words).flatMap(({ label, text }) =>
    type.wrap(text, styles.body, width).map((line, index) => ({ label: index === 0 ? label : '', line })),
  )
  sheet.need(Math.max(2, Math.min(lines.length, 3)) * LINE_HEIGHT)
  sheet.open('LI')
  for (let isFirst = true; lines.length > 0; isFirst = false) {
    // Avoid a single line at the foot of a page or at the top of the next.
    const fitting = Math.floor((CONTENT_AREA.bottom - sheet.y) / LINE_HEIGHT)
    const chunk = lines.splice(
      0,
      lines.length === fitting + 1 ? Math.max(1, fitting - 1) : Math.max(1, fitting),
    )
    const { y } = sheet
    const date = isFirst
      ? words.date(event.date)
      : `${words.shortDate(event.date)} (${words.notes.continued})`
    sheet.tag('Lbl', () => {
      type.write(date, CONTENT_AREA.left, y + 0.75 * LINE_HEIGHT, isFirst ? styles.cellStrong : styles.quiet)
      if (isFirst) {
        const style = type.shrink(night, styles.label, DATES - 6)
        type.write(night, CONTENT_AREA.left, y + 1.6 * LINE_HEIGHT, style)
      }
    })
    sheet.tag('LBody', () => {
      for (const [index, { label, line }] of chunk.entries()) {
        const baseline = y + (index + 0.75) * LINE_HEIGHT
        if (label) type.write(label, CONTENT_AREA.left + DATES, baseline, styles.quiet)
        if (line.isRightToLeft) type.write(line, CONTENT_AREA.right, baseline, styles.body, 'right')
        else type.write(line, CONTENT_AREA.left + DATES + LABELS, baseline, styles.body)
      }
    })
    sheet.y += Math.max(isFirst ? 2 : 1, chunk.length) * LINE_HEIGHT
    if (lines.length > 0) sheet.need(CONTENT_AREA.bottom)
  }
  sheet.close()
  sheet.y += 0.5 * LINE_HEIGHT
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
    return computeBidiLine(medication_name).isRightToLeft
      ? [medication_name, dose]
      : [`${medication_name}, ${dose}`]
  })
  return [
    ...list(notes.medication, doses, more.medication),
    ...list(notes.hospital, hospital, more.hospital),
    { label: notes.memo, text: memo.trim() },
  ].filter(({ text }) => text !== '')
}
