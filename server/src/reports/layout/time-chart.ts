import { countDays } from '../../time/report-period.ts'
import type { Bucket } from './buckets.ts'
import { dateTicks, MAX_DATES_WITH_DAY_NAMES } from './axis.ts'
import { formatThousands, decimal } from './figures.ts'
import { BLUE, FAINT_COLOR, INK, QUIET_COLOR, RED, RULE_COLOR, styles } from './palette.ts'
import type { Sheet } from './sheet.ts'

/** By the index of a bucket: the number that marks it, or undefined for a sign. */
export type BucketMarks = ReadonlyMap<number, string | undefined>

export interface TimeChart {
  x: number
  y: number
  width: number
  /** The height of the plot in points; axis labels and gap marks need `CHART_FOOT_HEIGHT` more. */
  height: number
  kind: 'bars' | 'dots' | 'line'
  /** The stretches of dates that have a value each. */
  buckets: readonly Bucket[]
  /** One value for each bucket, or null. */
  values: readonly (number | null)[]
  /** The indexes of the buckets that get a mark because nothing is known of them. */
  gaps: ReadonlySet<number>
  /** The ticks in ascending order; bars start at the first. */
  ticks: readonly number[]
  /** The value at which a horizontal line is drawn. */
  mean?: number
  /** One value for each bucket; a line is drawn at those in a row that are alike. */
  goals?: readonly number[]
  /** The marks above the plot. */
  marked?: BucketMarks
  /** The alternative text for people who cannot see the chart. */
  alt: string
}

/** The space below a plot, in points, for gap marks, ticks and their labels. */
export const CHART_FOOT_HEIGHT = 24
const GUTTER = 30

/** Draws a chart of values over the dates of the report's period. */
export function drawTimeChart(sheet: Sheet, chart: TimeChart): void {
  sheet.tag('Figure', () => draw(sheet, chart), { alt: chart.alt })
}

function draw(sheet: Sheet, chart: TimeChart): void {
  const { doc, type, report } = sheet
  const { x, y, width, height, buckets, ticks } = chart
  const count = countDays(report.period)
  const [left, right, bottom] = [x + GUTTER, x + width, y + height]
  const [least, most] = [ticks[0] ?? 0, ticks.at(-1) ?? 1]
  const day = (right - left) / count
  const place = (index: number) => {
    const { from = 0, to = 0 } = buckets[index] ?? {}
    return { start: left + from * day, middle: left + ((from + to) / 2) * day, slot: (to - from) * day }
  }
  const level = (value: number) => bottom - ((Math.min(value, most) - least) / (most - least)) * height

  const decimals = Math.max(...ticks.map((tick) => String(tick).split('.')[1]?.length ?? 0))
  for (const tick of ticks) {
    const at = level(tick)
    doc
      .moveTo(left, at)
      .lineTo(right, at)
      .lineWidth(tick === least ? 0.7 : 0.35)
    doc.stroke(tick === least ? QUIET_COLOR : RULE_COLOR)
    const figure = formatThousands(tick.toFixed(decimals))
    type.write(figure, left - 5, at + 2.6, type.shrink(figure, styles.label, GUTTER - 6), 'right')
  }
  drawDateAxis(sheet, left, right, bottom)
  // The marks of neighbouring gaps touch and form one mark.
  for (const index of chart.gaps) {
    const { start, slot } = place(index)
    doc.rect(start, bottom + 1.6, slot, 2.6).fill(FAINT_COLOR)
  }
  plot(doc, chart, { place, level })
  // An outlier ends at the top of the plot, with its value.
  for (const [index, value] of chart.values.entries()) {
    if (value !== null && value > most)
      type.write(decimal(value).replace('.0', ''), place(index).middle, y - 3, styles.label, 'center')
  }
  const across = (at: number) => doc.moveTo(left, at).lineTo(right, at)
  for (const { goal, first, last } of levels(chart.goals ?? [])) {
    const [from, to] = [place(first), place(last)]
    dotted(doc.moveTo(from.start, level(goal)).lineTo(to.start + to.slot, level(goal)))
  }
  if (chart.mean !== undefined) dashed(across(level(chart.mean)))
  for (const [index, count] of chart.marked ?? []) {
    const { middle, slot } = place(index)
    if (count === undefined) contactLossMark(doc, middle, y - 2, Math.min(2.6, 1.4 + slot / 2))
    else type.write(count, middle, y - 3, type.shrink(count, COUNT, slot - 0.5), 'center')
  }
}

/** Draws ticks and labels for the dates of the report's period below a plot. */
export function drawDateAxis(
  { doc, type, words, report }: Sheet,
  left: number,
  right: number,
  y: number,
): void {
  const count = countDays(report.period)
  const slot = (right - left) / count
  const isByDay = count <= MAX_DATES_WITH_DAY_NAMES
  let free = left - 20
  for (const { index, label } of dateTicks(report.period.first, count, words)) {
    const at = left + (index + (isByDay ? 0.5 : 0)) * slot
    doc
      .moveTo(at, y + 5)
      .lineTo(at, y + 9)
      .lineWidth(0.5)
      .stroke(QUIET_COLOR)
    const room = type.width(label, styles.label)
    const start = Math.min(Math.max(isByDay ? at - room / 2 : at, left - 8), right - room)
    if (start < free) continue
    type.write(label, start, y + 18, styles.label)
    free = start + room + 6
  }
}

interface Scale {
  /** Where a bucket begins, its middle, and its width. */
  place: (index: number) => { start: number; middle: number; slot: number }
  level: (value: number) => number
}

function plot(doc: PDFKit.PDFDocument, { kind, values, ticks }: TimeChart, { place, level }: Scale): void {
  if (kind === 'bars') {
    const base = level(ticks[0] ?? 0)
    for (const [index, value] of values.entries()) {
      if (value === null) continue
      const { middle, slot } = place(index)
      const width = Math.min(slot * 0.72, 14)
      doc.rect(middle - width / 2, level(value), width, base - level(value)).fill(BLUE)
    }
    return
  }
  const middle = (index: number) => place(index).middle
  for (const [first, last] of stretches(values)) {
    doc.moveTo(middle(first), level(values[first] ?? 0))
    for (let index = first + 1; index <= last; index++) doc.lineTo(middle(index), level(values[index] ?? 0))
    if (last > first)
      doc
        .lineWidth(kind === 'line' ? 1.1 : 0.6)
        .lineJoin('round')
        .stroke(BLUE)
    for (let index = first; index <= last; index++) {
      if (kind === 'dots' || first === last) {
        doc
          .circle(middle(index), level(values[index] ?? 0), Math.min(1.9, 0.7 + place(index).slot / 5))
          .fill(BLUE)
      }
    }
  }
}

/** Returns the first and last index of each stretch without a gap, because a line must not bridge missing values. */
function stretches(values: readonly (number | null)[]): [first: number, last: number][] {
  const found: [number, number][] = []
  for (const [index, value] of values.entries()) {
    const last = found.at(-1)
    if (value === null) continue
    if (last && last[1] === index - 1) last[1] = index
    else found.push([index, index])
  }
  return found
}

/** The first and last index of all values in a row that are alike. */
function levels(goals: readonly number[]): { goal: number; first: number; last: number }[] {
  const found: { goal: number; first: number; last: number }[] = []
  for (const [index, goal] of goals.entries()) {
    const last = found.at(-1)
    if (last?.goal === goal) last.last = index
    else found.push({ goal, first: index, last: index })
  }
  return found
}

/** Draws a triangle with its tip at `x`, `y`; the shape differs from all others even without colour. */
export function contactLossMark(doc: PDFKit.PDFDocument, x: number, y: number, size = 2.6): void {
  doc
    .moveTo(x, y)
    .lineTo(x - size, y - 1.7 * size)
    .lineTo(x + size, y - 1.7 * size)
    .fill(RED)
}

const dashed = (doc: PDFKit.PDFDocument) => doc.lineWidth(0.8).dash(3, { space: 2 }).stroke(INK).undash()

const dotted = (doc: PDFKit.PDFDocument) =>
  doc.lineWidth(1.1).lineCap('round').dash(0.1, { space: 2.4 }).stroke(RED).undash().lineCap('butt')

const COUNT = { ...styles.labelStrong, color: RED }

type Sign = 'gap' | 'loss' | 'count' | 'mean' | 'goal'

/** Draws the legend of a chart's marks in one line, on the baseline `y` and ending at `x`. */
export function drawLegend(
  { doc, type, decorate, tag }: Sheet,
  x: number,
  y: number,
  entries: readonly (readonly [Sign, string])[],
): void {
  let right = x
  for (const [sign, label] of entries.toReversed()) {
    const start = right - type.width(label, styles.label)
    decorate(() => {
      if (sign === 'gap') doc.rect(start - 12, y - 4, 8, 2.6).fill(FAINT_COLOR)
      else if (sign === 'loss') contactLossMark(doc, start - 8, y - 0.5)
      else if (sign === 'count') type.write('2', start - 8, y, COUNT, 'center')
      else (sign === 'goal' ? dotted : dashed)(doc.moveTo(start - 17, y - 2.7).lineTo(start - 4, y - 2.7))
    })
    tag('P', () => type.write(label, start, y, styles.label))
    right = start - 30
  }
}
