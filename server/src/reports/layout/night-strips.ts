import { addDays, daysBetween, weekday } from '../../time/wall-clock.ts'
import type { CountedDay } from '../adherence-figures.ts'
import type { ReportUse } from '../report-data.ts'
import { axisMaximum } from './axis.ts'
import { isByWeek } from './buckets.ts'
import { formatClockTime } from './figures.ts'
import { FAINT_COLOR, INK, INTENSITIES, LINE_HEIGHT, QUIET_COLOR, RULE_COLOR, styles } from './palette.ts'
import { CONTENT_AREA } from './sheet.ts'
import type { Sheet } from './sheet.ts'
import { contactLossMark } from './time-chart.ts'

const MINUTES = 24 * 60
const NOON = MINUTES / 2
const SECONDS_PER_INTENSITY = 360

/** A segment of one strip, in minutes after the noon of its evening. */
interface Segment {
  from: number
  to: number
  /** Undefined where the device was used and recorded no intensity. */
  intensity: number | undefined
}

/** One evening and the morning after it, from noon to noon. */
interface Night {
  /** The date of the evening. */
  date: string
  segments: Segment[]
  /** Where uses ended by a contact loss. */
  losses: number[]
  /** When the first use began and the last ended, in minutes after noon. */
  start: number | undefined
  end: number | undefined
  isRunning: boolean
  isCutShort: boolean
  hasNote: boolean
  /** The evening's date as the report knows it; undefined if it has not come. */
  known: CountedDay | undefined
}

interface Format {
  rows: number
  pitch: number
  height: number
  left: number
  right: number
  /** Whether each night has its own label and times. */
  isNamed: boolean
}

/** A month a page. */
const WIDE: Format = {
  rows: 31,
  pitch: 19.2,
  height: 11,
  left: CONTENT_AREA.left + 66,
  right: CONTENT_AREA.right - 70,
  isNamed: true,
}
/** Half a year a page, for a long period. */
const NARROW: Format = {
  rows: 184,
  pitch: 3.2,
  height: 2.7,
  left: CONTENT_AREA.left + 66,
  right: CONTENT_AREA.right - 14,
  isNamed: false,
}

const HEAD = 1.5 * LINE_HEIGHT

/** The signs after the times of a night, which the legend explains. */
const RUNNING = '…'
const CUT_SHORT = '*'

/** Draws a strip for each night, coloured by the recorded intensities, with gaps where the device was not worn. */
export function drawNightStrips(sheet: Sheet): void {
  const { words, report } = sheet
  if (report.uses.length === 0) return
  const format = isByWeek(report) ? NARROW : WIDE
  const nights = nightsOf(report)
  const window = windowOf(nights)
  const intensities = nights.flatMap(({ segments }) => segments.map((each) => each.intensity ?? 0))
  const scale = {
    highest: axisMaximum(intensities),
    most: intensities.reduce((one, other) => Math.max(one, other), 0),
  }
  const { title, explained } = words.strips
  for (let first = 0; first < nights.length; first += format.rows) {
    const chunk = nights.slice(first, first + format.rows)
    const height = HEAD + chunk.length * format.pitch
    sheet.section(title, height + 4.5 * LINE_HEIGHT, first === 0 ? '' : ` (${words.strips.continued})`)
    if (first === 0) sheet.paragraph(explained, styles.quiet)
    drawLegend(sheet, nights, { ...scale, format })
    const alt = `${title}. ${words.range(chunk[0]?.date ?? '', chunk.at(-1)?.date ?? '')}.`
    sheet.tag('Figure', () => drawRows(sheet, chunk, { format, window, highest: scale.highest }), { alt })
    sheet.y += height
    sheet.close()
  }
}

/** The nights of the period, from noon to noon, from the first with a use to the last. */
function nightsOf({ period, nights, uses, events }: Sheet['report']): Night[] {
  const known = new Map(nights.map((night) => [night.treatment_date, night]))
  const noted = new Set(events?.map(({ night }) => night))
  const count = Math.max(nights.length, ...uses.slice(-1).map((use) => placeOf(use, period.first).night + 1))
  const rows = Array.from({ length: count }, (_, index): Night => {
    const date = addDays(period.first, index)
    return {
      date,
      segments: [],
      losses: [],
      start: undefined,
      end: undefined,
      isRunning: false,
      isCutShort: false,
      hasNote: noted.has(date),
      known: known.get(date),
    }
  })
  for (const use of uses) addUse(rows, use, placeOf(use, period.first))
  const isShown = ({ segments }: Night) => segments.length > 0
  return rows.slice(rows.findIndex(isShown), rows.findLastIndex(isShown) + 1)
}

/** The night of a use, counted from that of `first`, and its start in minutes after the noon. */
function placeOf({ start }: ReportUse, first: string): { night: number; minute: number } {
  const [hours = 0, minutes = 0, seconds = 0] = start.slice(11).split(':').map(Number)
  const minute = 60 * hours + minutes + seconds / 60
  const isMorning = minute < NOON
  return {
    night: daysBetween(first, start.slice(0, 10)) - (isMorning ? 1 : 0),
    minute: minute + (isMorning ? NOON : -NOON),
  }
}

function addUse(
  rows: Night[],
  { treatment_time, state, is_contact_loss, intensities }: ReportUse,
  { night, minute }: { night: number; minute: number },
): void {
  const length = treatment_time / 60
  const add = (from: number, to: number, intensity: number | undefined) => {
    // A use that goes on after noon continues on the next strip.
    for (let row = night; from < to; row++) {
      const [start, end] = [from - (row - night) * MINUTES, to - (row - night) * MINUTES]
      if (start < MINUTES) {
        addSegment(rows[row], { from: start, to: Math.min(end, MINUTES), intensity })
        from = (row - night + 1) * MINUTES
      }
    }
  }
  const recorded = intensities === '' ? [] : intensities.split(',').map(Number)
  const step = SECONDS_PER_INTENSITY / 60
  for (const [index, intensity] of recorded.entries()) {
    if (index * step < length)
      add(minute + index * step, minute + Math.min((index + 1) * step, length), intensity)
  }
  const end = minute + length
  if (recorded.length * step < length) add(minute + recorded.length * step, end, undefined)
  const row = rows[night]
  if (!row) return
  row.start ??= minute
  row.end = Math.max(row.end ?? 0, end)
  row.isRunning ||= state === 'running'
  row.isCutShort ||= state === 'cut short'
  if (is_contact_loss) row.losses.push(Math.min(end, MINUTES))
}

/** Adds a segment; one that continues the last with the same intensity makes it longer. */
function addSegment(night: Night | undefined, segment: Segment): void {
  const last = night?.segments.at(-1)
  if (last && last.intensity === segment.intensity && Math.abs(last.to - segment.from) < 1e-6)
    last.to = segment.to
  else night?.segments.push(segment)
}

interface Window {
  from: number
  to: number
}

/** The hours that all strips show: from 20:00 to 08:00, and as much more as there is, in steps of two hours. */
function windowOf(nights: readonly Night[]): Window {
  const segments = nights.flatMap((night) => night.segments)
  const from = segments.reduce((least, each) => Math.min(least, each.from), 8 * 60)
  const to = segments.reduce((most, each) => Math.max(most, each.to), 20 * 60)
  return { from: 120 * Math.floor(from / 120), to: 120 * Math.ceil(to / 120) }
}

/** The time that a clock without seconds shows then, as in the table of records. */
function hourOf(minute: number): string {
  const seconds = Math.round((minute + NOON) * 60)
  return formatClockTime(Math.floor(seconds / 60) % MINUTES)
}

interface Drawing {
  format: Format
  window: Window
  highest: number
}

function drawRows(sheet: Sheet, nights: readonly Night[], { format, window, highest }: Drawing): void {
  const { doc, type } = sheet
  const { pitch, height, left, right } = format
  const top = sheet.y + HEAD
  const bottom = top + nights.length * pitch
  const at = (minute: number) => left + ((minute - window.from) / (window.to - window.from)) * (right - left)
  for (let minute = window.from; minute <= window.to; minute += 120) {
    doc
      .moveTo(at(minute), top - 2)
      .lineTo(at(minute), bottom)
      .lineWidth(minute === NOON ? 0.7 : 0.35)
      .stroke(minute === NOON ? QUIET_COLOR : RULE_COLOR)
    type.write(hourOf(minute), at(minute), top - 5, styles.label, 'center')
  }
  for (const [index, night] of nights.entries()) {
    const y = top + index * pitch + (pitch - height) / 2
    drawLabel(sheet, night, { format, y, isFirst: index === 0 })
    if (night.hasNote)
      noteMark(doc, left - (format.isNamed ? 6 : 10), y + height / 2, format.isNamed ? 1.8 : 1.2)
    for (const { from, to, intensity } of night.segments) {
      // At an intensity of 0 the device was on and did nothing.
      const [shade, share] =
        intensity === undefined
          ? [FAINT_COLOR, 0.5]
          : intensity === 0
            ? [QUIET_COLOR, 0.15]
            : [shadeOf(intensity, highest), 1]
      doc.rect(at(from), y + ((1 - share) * height) / 2, at(to) - at(from), share * height)
      if (intensity !== undefined && intensity > highest) outlier(doc)
      else doc.fill(shade)
    }
    if (format.isNamed) for (const loss of night.losses) contactLossMark(doc, at(loss), y - 0.3, 2.4)
    else if (night.losses.length > 0) contactLossMark(doc, right + 8, y + height, 1.6)
  }
}

function drawLabel(
  { doc, type, words }: Sheet,
  { date, known, segments, start, end, isRunning, isCutShort }: Night,
  { format, y, isFirst }: { format: Format; y: number; isFirst: boolean },
): void {
  const { left, right, pitch, height } = format
  const hasNoRecord = known?.nightCounts === true && segments.length === 0
  if (!format.isNamed) {
    if (isFirst || date.endsWith('-01'))
      type.write(words.month(date), CONTENT_AREA.left, y + height + 1, styles.label)
    if (hasNoRecord) doc.rect(left - 5, y, 3, height).fill(FAINT_COLOR)
    return
  }
  const baseline = y + height - 2.2
  const isCounted = known?.nightCounts === true || segments.length > 0
  type.write(words.dayAndWeekday(date), CONTENT_AREA.left, baseline, {
    ...styles.cell,
    color: isCounted ? INK : FAINT_COLOR,
  })
  if (weekday(date) === 0 && !isFirst) {
    doc
      .moveTo(CONTENT_AREA.left, y - (pitch - height) / 2)
      .lineTo(CONTENT_AREA.right, y - (pitch - height) / 2)
      .lineWidth(0.35)
      .stroke(RULE_COLOR)
  }
  const times = hasNoRecord
    ? words.strips.none
    : start === undefined || end === undefined
      ? ''
      : `${hourOf(start)} – ${isRunning ? RUNNING : hourOf(end)}${isCutShort ? ` ${CUT_SHORT}` : ''}`
  type.write(times, right + 6, baseline, hasNoRecord ? styles.label : styles.cell)
}

const shadeIndex = (intensity: number, highest: number) =>
  Math.min(INTENSITIES.length, Math.ceil((intensity / highest) * INTENSITIES.length)) - 1

const shadeOf = (intensity: number, highest: number) => INTENSITIES[shadeIndex(intensity, highest)] ?? INK

const noteMark = (doc: PDFKit.PDFDocument, x: number, y: number, radius: number) =>
  doc.circle(x, y, radius).fill(INK)

/** A box without a shade, as the intensity is off the scale. */
const outlier = (doc: PDFKit.PDFDocument) => doc.lineWidth(0.7).fillAndStroke('#ffffff', INK)

/** Draws the shades with their intensities, and the other signs. */
function drawLegend(
  sheet: Sheet,
  nights: readonly Night[],
  { highest, most, format }: Omit<Drawing, 'window'> & { most: number },
): void {
  const { doc, type, words } = sheet
  let y = sheet.y + LINE_HEIGHT
  let x: number = CONTENT_AREA.left
  const entry = (label: string, width: number, draw: (x: number) => void) => {
    if (x + width + 4 + type.width(label, styles.label) > CONTENT_AREA.right) {
      x = CONTENT_AREA.left
      y += LINE_HEIGHT
      sheet.y += LINE_HEIGHT
    }
    const at = x
    sheet.decorate(() => draw(at))
    sheet.tag('P', () => type.write(label, at + width + 4, y, styles.label))
    x += width + 4 + type.width(label, styles.label) + 12
  }
  entry(words.strips.intensity, -4, () => undefined)
  for (const [index, shade] of INTENSITIES.entries()) {
    const bound = (place: number) => Math.floor((place * highest) / INTENSITIES.length)
    const [from, to] = [bound(index) + 1, bound(index + 1)]
    if (from <= to) {
      entry(from === to ? String(from) : `${from}–${to}`, 14, (at) => doc.rect(at, y - 6, 14, 7).fill(shade))
    }
  }
  if (most > highest) {
    const label = most === highest + 1 ? String(most) : `${highest + 1}–${most}`
    entry(label, 14, (at) => outlier(doc.rect(at, y - 6, 14, 7)))
  }
  if (nights.some(({ segments }) => segments.some(({ intensity }) => intensity === undefined))) {
    entry(words.strips.unknown, 14, (at) => doc.rect(at, y - 4.5, 14, 4).fill(FAINT_COLOR))
  }
  if (nights.some(({ losses }) => losses.length > 0)) {
    entry(words.strips.loss, 6, (at) => contactLossMark(doc, at + 3, y, 2.4))
  }
  if (nights.some(({ hasNote }) => hasNote)) {
    entry(words.strips.note, 6, (at) => noteMark(doc, at + 3, y - 2.7, 1.8))
  }
  sheet.y += 1.5 * LINE_HEIGHT
  if (!format.isNamed) return
  // In a line of their own: the first may be full.
  const signs = [
    nights.some(({ isRunning }) => isRunning) ? `${RUNNING} ${words.strips.running}` : '',
    nights.some(({ isCutShort }) => isCutShort) ? `${CUT_SHORT} ${words.strips.cutShort}` : '',
  ].filter(Boolean)
  if (signs.length > 0) sheet.paragraph(signs.join('   '), styles.label)
}
