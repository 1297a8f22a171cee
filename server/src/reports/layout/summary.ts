import { countDays } from '../../time/report-period.ts'
import type { Words } from '../languages/words.ts'
import type { Figures } from '../adherence-figures.ts'
import type { NightGoal } from '../night-goals.ts'
import type { Report } from '../report.ts'
import { clock, duration, goalRange, goalText, grouped, tenths } from './figures.ts'
import { INK, LINE, styles } from './palette.ts'
import { PAGE, WIDTH } from './sheet.ts'
import type { Sheet } from './sheet.ts'

const LABELS = 88
/** More devices than this are counted, so that the first page keeps its room. */
const MOST_DEVICES = 4

const TILES_A_ROW = 4
const TILE_HEIGHT = 4.5 * LINE

/** Draws the head of the first page: the child, the period, the devices, and the main figures. */
export function drawSummary(
  sheet: Sheet,
  { madeAt, uploadedAt }: { madeAt: string; uploadedAt?: string | undefined },
): void {
  const { doc, type, words, report } = sheet
  const { child, period } = report
  sheet.y = 46
  sheet.tag('H1', () => type.write(words.title, PAGE.left, sheet.y + 1.5 * LINE, styles.title))
  sheet.y += 2.25 * LINE
  sheet.decorate(() => {
    doc.moveTo(PAGE.left, sheet.y).lineTo(PAGE.right, sheet.y).lineWidth(1.2).stroke(INK)
  })
  sheet.y += 0.5 * LINE
  sheet.paragraph(child.name, styles.name, { leading: 1.5 * LINE })
  sheet.y += 0.25 * LINE
  const gender = words.gender[child.gender]
  fact(sheet, words.birth, [words.born(child.birthdate, child.age), ...(gender ? [gender] : [])].join(', '))
  fact(sheet, words.period, `${words.range(period.first, period.last)} (${words.days(countDays(period))})`)
  fact(sheet, words.device, devices(report, words))
  fact(sheet, words.station, report.station)
  fact(sheet, words.records, records(report, words, uploadedAt))
  fact(sheet, words.made, madeAt)
  sheet.y -= 0.5 * LINE
  sheet.section(words.glance.title, 3 * TILE_HEIGHT + LINE)
  sheet.y -= 0.25 * LINE
  const top = sheet.y
  const width = WIDTH / TILES_A_ROW
  for (const [index, tile] of tiles(report, words).entries()) {
    const y = top + Math.floor(index / TILES_A_ROW) * TILE_HEIGHT
    drawTile(sheet, tile, PAGE.left + (index % TILES_A_ROW) * width, y, width - 0.75 * LINE)
  }
  sheet.y = top + 3 * TILE_HEIGHT
  sheet.paragraph(noteOf(report, words), styles.quiet)
  sheet.close()
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
  sheet.tag('P', () => sheet.type.write(label, PAGE.left, y + 0.75 * LINE, styles.quiet))
  sheet.paragraph(value, styles.body, { x: PAGE.left + LABELS, width: WIDTH - LABELS })
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

interface Tile {
  label: string
  figure: string
  note: string
  before?: string | undefined
}

function tiles({ figures, before, usualStart, goals }: Report, words: Words): Tile[] {
  const { glance } = words
  const { nightsCounted, nightsUsed, datesWithData, longestGap } = figures
  const overNights = nightsUsed > 0 ? glance.perNight(nightsUsed) : ''
  const overDates = datesWithData > 0 ? glance.perDate(datesWithData) : ''
  /** A figure of used nights, or of dates with records, and the same of the period before. */
  const ofTimes = (read: (figures: Figures) => string, count: 'nightsUsed' | 'datesWithData') => ({
    figure: figures[count] > 0 ? read(figures) : glance.none,
    before: before && before[count] > 0 ? read(before) : undefined,
  })
  const ofUsed = (read: (figures: Figures) => string) => ofTimes(read, 'nightsUsed')
  const ofDates = (read: (figures: Figures) => string) => ofTimes(read, 'datesWithData')
  const ofNights = (read: (figures: Figures) => number) => ({
    figure: glance.ofNights(read(figures), nightsCounted),
    note: nightsCounted > 0 ? glance.share(Math.round((100 * read(figures)) / nightsCounted)) : '',
    before: before && glance.ofNights(read(before), before.nightsCounted),
  })
  return [
    { label: glance.nightsUsed, ...ofNights((each) => each.nightsUsed) },
    { label: glance.nightsAtGoal, ...ofNights((each) => each.nightsAtGoal) },
    {
      label: glance.meanTime,
      ...ofUsed((each) => duration(each.meanTime, words)),
      note: overNights,
    },
    {
      label: glance.meanTimeOfAll,
      ...ofUsed((each) => duration(each.meanTimeOfAll, words)),
      note: nightsUsed > 0 ? glance.perCountedNight(nightsCounted) : '',
    },
    {
      label: glance.medianTime,
      ...ofUsed((each) => duration(each.medianTime, words)),
      note: overNights,
    },
    {
      label: glance.totalTime,
      ...ofUsed((each) => duration(each.totalTime, words)),
      note: overNights,
    },
    {
      label: glance.longestGap,
      figure: nightsCounted > 0 ? glance.gap(longestGap?.nights ?? 0) : glance.none,
      note: longestGap ? gapDates(longestGap, words) : '',
      before: before && glance.gap(before.longestGap?.nights ?? 0),
    },
    {
      label: glance.usualStart,
      figure: usualStart === undefined ? glance.none : clock(usualStart),
      note: usualStart === undefined ? '' : glance.usualStartNote,
    },
    {
      label: glance.meanIntensity,
      ...ofDates((each) => tenths(each.meanIntensity)),
      note: overDates,
    },
    {
      label: glance.meanMovement,
      ...ofDates((each) => grouped(tenths(each.meanMovement))),
      note: overDates,
    },
    {
      label: glance.contactLosses,
      ...ofUsed((each) => String(each.contactLosses)),
      note: nightsUsed > 0 ? glance.lossNights(figures.nightsWithLosses) : '',
    },
    { label: glance.goal, figure: goalRange(goals, words), note: setterOf(goals, words) },
  ]
}

/** Says whose the goals are, if they are all by one. */
function setterOf(goals: readonly NightGoal[], { glance }: Words): string {
  const [first, ...others] = new Set(goals.map(({ setBy }) => setBy))
  return first === undefined || others.length > 0 ? glance.goalsBelow : glance.goalNote[first]
}

const gapDates = ({ first, last }: { first: string; last: string }, words: Words) =>
  first === last ? words.shortDate(first) : `${words.shortDate(first)} – ${words.shortDate(last)}`

function drawTile(
  sheet: Sheet,
  { label, figure, note, before }: Tile,
  x: number,
  y: number,
  width: number,
): void {
  const { type, words } = sheet
  sheet.tag('P', () => {
    type.write(type.fit(label, styles.tile, width), x, y + 0.75 * LINE, styles.tile)
    type.write(figure, x, y + 2.1 * LINE, type.shrink(figure, styles.figure, width))
    type.write(type.fit(note, styles.label, width), x, y + 2.95 * LINE, styles.label)
    if (before !== undefined) {
      type.write(type.fit(words.glance.before(before), styles.label, width), x, y + 3.7 * LINE, styles.label)
    }
  })
}

const READING_LEADING = 0.85 * LINE

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

/** The height that `drawReading` needs, in points. */
export const readingHeight = (sheet: Sheet): number =>
  4 * LINE +
  readingLines(sheet).reduce(
    (height, line) => height + sheet.type.wrap(line, styles.quiet, WIDTH).length * READING_LEADING,
    0,
  )

/** Draws the definitions of a night and a gap, on the first page because every figure depends on them. */
export function drawReading(sheet: Sheet): void {
  sheet.section(sheet.words.reading.title, readingHeight(sheet) - 4 * LINE)
  for (const line of readingLines(sheet)) sheet.paragraph(line, styles.quiet, { leading: READING_LEADING })
  sheet.close()
}
