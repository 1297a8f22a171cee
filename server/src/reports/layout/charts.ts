import type { ReportDay } from '../report-data.ts'
import { hourTicks, ticks, ticksRound } from './axis.ts'
import { duration, tenths } from './figures.ts'
import { LINE, styles } from './palette.ts'
import { PAGE, WIDTH } from './sheet.ts'
import type { Sheet } from './sheet.ts'
import { CHART_FOOT, drawLegend, drawTimeChart } from './time-chart.ts'
import type { TimeChart } from './time-chart.ts'

type Chart = Pick<TimeChart, 'kind' | 'values' | 'ticks' | 'marked'> & {
  mean: { value: number; label: string }
}

const highest = (values: readonly (number | null)[]) => Math.max(1, ...values.map((value) => value ?? 0))

/** Draws the chart of usage time. */
export function drawUsage(sheet: Sheet): void {
  const { words, report } = sheet
  const { nights, figures } = report
  const hours = nights.map(({ treatment_time }) => (treatment_time === null ? null : treatment_time / 3600))
  drawSection(
    sheet,
    { ...words.usage, height: 15 * LINE },
    {
      kind: 'bars',
      values: hours,
      ticks: hourTicks(highest(hours)),
      mean: { value: figures.meanTime / 3600, label: words.usage.mean(duration(figures.meanTime, words)) },
      marked: new Set(nights.flatMap((night, index) => (night.contact_faults > 0 ? [index] : []))),
    },
  )
}

/** Draws the chart of intensity. */
export function drawIntensity(sheet: Sheet): void {
  const { nights, figures } = sheet.report
  const values = nights.map((night) => night.last_intensity)
  drawSection(
    sheet,
    { ...sheet.words.intensity, height: 8 * LINE },
    {
      kind: 'dots',
      values,
      ticks: ticks(0, highest(values)),
      mean: {
        value: figures.meanIntensity,
        label: sheet.words.intensity.mean(tenths(figures.meanIntensity)),
      },
    },
  )
}

/** Draws the chart of movement. */
export function drawMovement(sheet: Sheet): void {
  const { nights, figures } = sheet.report
  const values = nights.map((night) => night.movement)
  drawSection(
    sheet,
    { ...sheet.words.movement, height: 8 * LINE },
    {
      kind: 'bars',
      values,
      ticks: ticks(0, highest(values)),
      mean: { value: figures.meanMovement, label: sheet.words.movement.mean(tenths(figures.meanMovement)) },
    },
  )
}

interface Frame {
  title: string
  axis: string
  summary: string
  height: number
}

function drawSection(sheet: Sheet, { title, axis, summary, height }: Frame, chart: Chart): void {
  const { words, report, type } = sheet
  if (report.figures.nightsWithData === 0) {
    sheet.section(title, LINE)
    sheet.paragraph(report.nights.length === 0 ? words.notBegun : words.nothingRecorded, styles.quiet)
    sheet.close()
    return
  }
  sheet.section(title, 1.75 * LINE + height + CHART_FOOT)
  const { y } = sheet
  sheet.tag('Caption', () => type.write(axis, PAGE.left, y + 0.5 * LINE, styles.label))
  drawLegend(sheet, PAGE.right, y + 0.5 * LINE, [
    ...(chart.values.includes(null) ? [['gap', words.legend.noRecord] as const] : []),
    ...(chart.marked && chart.marked.size > 0 ? [['fault', words.legend.contactFault] as const] : []),
    ['mean', chart.mean.label],
  ])
  const top = y + (chart.marked ? 1.75 : 1.25) * LINE
  drawTimeChart(sheet, {
    ...chart,
    mean: chart.mean.value,
    x: PAGE.left,
    y: top,
    width: WIDTH,
    height,
    alt: `${summary}. ${words.range(report.period.first, report.period.last)}. ${chart.mean.label}`,
  })
  sheet.y = top + height + CHART_FOOT
  sheet.close()
}

const isMeasured = (night: ReportDay) => night.temperature !== null

/** Draws the charts of temperature, humidity, brightness and noise, side by side. */
export function drawSleep(sheet: Sheet): void {
  const { words, report, type } = sheet
  const { sleep } = words
  if (!report.nights.some(isMeasured)) {
    sheet.section(sleep.title, LINE)
    sheet.paragraph(sleep.none, styles.quiet)
    sheet.close()
    return
  }
  const height = 6 * LINE
  const block = 1.5 * LINE + height + CHART_FOOT + 0.5 * LINE
  sheet.section(sleep.title, 1.5 * LINE + 2 * block)
  if (!report.nights.every(isMeasured)) {
    drawLegend(sheet, PAGE.right, sheet.y + 0.75 * LINE, [['gap', words.legend.noReading]])
  }
  sheet.paragraph(sleep.note(report.station), styles.quiet)
  const top = sheet.y + 0.5 * LINE
  const width = (WIDTH - 2 * LINE) / 2
  const of = (field: 'temperature' | 'humidity' | 'brightness' | 'noise') =>
    report.nights.map((night) => night[field])
  // A panel without `span` has a scale that starts at 0.
  const panels = [
    { title: sleep.temperature, values: of('temperature'), span: 4 },
    { title: sleep.humidity, values: of('humidity'), span: 20 },
    { title: `${sleep.brightness} (${sleep.sensorValue})`, values: of('brightness') },
    { title: `${sleep.noise} (${sleep.sensorValue})`, values: of('noise') },
  ]
  for (const [index, { title, values, span }] of panels.entries()) {
    const x = PAGE.left + (index % 2) * (width + 2 * LINE)
    const y = top + Math.floor(index / 2) * block
    const known = values.filter((value) => value !== null)
    sheet.tag('Caption', () => type.write(title, x, y + 0.75 * LINE, styles.strong))
    drawTimeChart(sheet, {
      x,
      y: y + 1.5 * LINE,
      width,
      height,
      kind: 'line',
      values,
      ticks: span === undefined ? ticks(0, highest(values)) : ticksRound(known, span),
      alt: `${title}. ${words.range(report.period.first, report.period.last)}.`,
    })
  }
  sheet.y = top + 2 * block - 0.5 * LINE
  sheet.close()
}
