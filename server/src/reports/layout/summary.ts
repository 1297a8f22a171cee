import { countDays } from '../../time/report-period.ts'
import type { Words } from '../languages/words.ts'
import type { Report } from '../report.ts'
import type { ReportNote } from '../shorten-notes.ts'
import { goalText } from './figures.ts'
import { drawGlance, GLANCE_HEIGHT } from './glance.ts'
import { INK, LINE_HEIGHT, styles } from './palette.ts'
import { CONTENT_AREA, CONTENT_WIDTH } from './sheet.ts'
import type { Sheet } from './sheet.ts'

const LABELS = 88
/** More devices than this are counted, so that the first page keeps its room. */
const MOST_DEVICES = 4

/** Draws the head of the first page: the child, the period, the devices, and the main figures. */
export function drawSummary(
  sheet: Sheet,
  { madeAt, uploadedAt }: { madeAt: string; uploadedAt?: string | undefined },
): void {
  const { doc, type, words, report } = sheet
  const { child, period } = report
  sheet.y = 46
  sheet.tag('H1', () => type.write(words.title, CONTENT_AREA.left, sheet.y + 1.5 * LINE_HEIGHT, styles.title))
  sheet.y += 2.25 * LINE_HEIGHT
  sheet.decorate(() => {
    doc.moveTo(CONTENT_AREA.left, sheet.y).lineTo(CONTENT_AREA.right, sheet.y).lineWidth(1.2).stroke(INK)
  })
  sheet.y += 0.5 * LINE_HEIGHT
  sheet.paragraph(child.name, styles.name, { leading: 1.5 * LINE_HEIGHT })
  sheet.y += 0.25 * LINE_HEIGHT
  const gender = words.gender[child.gender]
  fact(sheet, words.birth, [words.born(child.birthdate, child.age), ...(gender ? [gender] : [])].join(', '))
  fact(sheet, words.period, `${words.range(period.first, period.last)} (${words.days(countDays(period))})`)
  fact(sheet, words.device, devices(report, words))
  fact(sheet, words.station, report.station)
  fact(sheet, words.records, records(report, words, uploadedAt))
  fact(sheet, words.made, madeAt)
  sheet.y -= 0.5 * LINE_HEIGHT
  sheet.section(words.glance.title, GLANCE_HEIGHT + LINE_HEIGHT)
  sheet.y -= 0.25 * LINE_HEIGHT
  drawGlance(sheet)
  sheet.paragraph(noteOf(report, words), styles.quiet)
  sheet.close()
}

/** Leaves the last line of the first page for what notes and surveys there are, and on which page. */
export function drawContents(sheet: Sheet): void {
  sheet.y += 0.5 * LINE_HEIGHT
  sheet.postpone(() => contentsOf(sheet), styles.strong)
}

/** The height that `drawContents` needs, in points. */
export const CONTENTS_HEIGHT = 1.5 * LINE_HEIGHT

function contentsOf({ words, report, pageOf }: Sheet): string {
  const { events, surveys } = report
  const { contents } = words
  const ofSurveys = contents.surveys(surveys.length, pageOf(words.surveys.title))
  if (!events) return ofSurveys
  if (events.length === 0 && surveys.length === 0) return contents.none
  const count = (read: (event: ReportNote) => number) => events.reduce((sum, event) => sum + read(event), 0)
  const medication = count((event) => event.medication.length + event.more.medication)
  const hospital = count((event) => event.hospital.length + event.more.hospital)
  const page = pageOf(words.notes.title)
  return `${contents.notes({ notes: events.length, medication, hospital, page })} ${ofSurveys}`
}

/** The sentence below the figures: what they are compared with, or why there are none. */
function noteOf({ before, figures, nights, period }: Report, words: Words): string {
  if (figures.nightsWithData > 0 || figures.datesWithData > 0)
    return before ? words.comparedWith(countDays(period)) : words.notCompared
  return nights.length === 0 ? words.notBegun : words.nothingRecorded
}

function fact(sheet: Sheet, label: string, value: string): void {
  const { y } = sheet
  sheet.open('Div')
  sheet.tag('P', () => sheet.type.write(label, CONTENT_AREA.left, y + 0.75 * LINE_HEIGHT, styles.quiet))
  sheet.paragraph(value, styles.body, { x: CONTENT_AREA.left + LABELS, width: CONTENT_WIDTH - LABELS })
  sheet.close()
}

/** Names each device and its firmware, with the time in which they were worn; the latest first. */
function devices({ devices }: Report, words: Words): string {
  const lines = devices
    .slice(0, MOST_DEVICES)
    .map(
      ({ serial_code, firmware_id, since, until }) =>
        `${words.deviceWorn(serial_code, firmware_id)} (${words.since(since, until)})`,
    )
  const more = devices.length - lines.length
  return [
    ...(lines.length > 0 ? lines : [words.noDevice]),
    ...(more > 0 ? [words.moreDevices(more)] : []),
  ].join('\n')
}

/** Says of how many nights there are records, and how that number comes about. */
function records(
  { figures, nights, period, firstEvening }: Report,
  words: Words,
  uploadedAt: string | undefined,
): string {
  const { counting } = words
  const { nightsCounted, nightsWithData, nightsUsed } = figures
  const days = countDays(period)
  const unpaired = nights.filter(
    ({ treatment_date }) => firstEvening === null || treatment_date < firstEvening,
  ).length
  const ahead = days - nightsCounted - unpaired
  const upload = uploadedAt === undefined ? words.noUpload : words.lastUpload(uploadedAt)
  const explained = [
    ...(nightsCounted < days ? [counting.days(days, nightsCounted)] : []),
    ...(unpaired > 0 && firstEvening !== null ? [counting.unpaired(unpaired, firstEvening)] : []),
    ...(ahead > 0 ? [counting.ahead(ahead)] : []),
    ...(nightsUsed < nightsWithData ? [counting.brief(nightsWithData, nightsUsed)] : []),
  ].join(' ')
  return [
    `${words.recordsFor(nightsWithData, nightsCounted)}; ${upload}`,
    ...(explained ? [explained] : []),
  ].join('\n')
}

const READING_LEADING = 0.85 * LINE_HEIGHT

/** More goals than this are counted, so that the first page keeps its room. */
const MOST_GOALS = 4

const readingLines = ({ words, report: { goals } }: Sheet) => {
  const shown = goals.slice(-MOST_GOALS).map(({ first, minutes, setBy }, index) => {
    const goal = words.reading.goal(goalText(minutes, words), setBy)
    return index === 0 ? goal : words.reading.goalFrom(first, goal)
  })
  const more = goals.length - shown.length
  return words.reading.lines([...shown, ...(more > 0 ? [words.reading.moreGoals(more)] : [])].join('; '))
}

/** The height that `drawDefinitions` needs, in points. */
export const definitionsHeight = (sheet: Sheet): number =>
  4 * LINE_HEIGHT +
  readingLines(sheet).reduce(
    (height, line) => height + sheet.type.wrap(line, styles.quiet, CONTENT_WIDTH).length * READING_LEADING,
    0,
  )

/** Draws the definitions of a night and a gap, on the first page because every figure depends on them. */
export function drawDefinitions(sheet: Sheet): void {
  sheet.section(sheet.words.reading.title, definitionsHeight(sheet) - 4 * LINE_HEIGHT)
  for (const line of readingLines(sheet)) sheet.paragraph(line, styles.quiet, { leading: READING_LEADING })
  sheet.close()
}
