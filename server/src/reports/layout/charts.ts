import type { ReportDay } from '../report-data.ts'
import { bucketsOf, findBucketIndexes, isByWeek, contactLossesOf, bucketMeans } from './buckets.ts'
import type { Bucket } from './buckets.ts'
import { axisMaximum, hourTicks, ticks, ticksCovering } from './axis.ts'
import { duration, goalRange, decimal } from './figures.ts'
import { LINE_HEIGHT, styles } from './palette.ts'
import { CONTENT_AREA, CONTENT_WIDTH } from './sheet.ts'
import type { Sheet } from './sheet.ts'
import { CHART_FOOT_HEIGHT, drawLegend, drawTimeChart } from './time-chart.ts'
import type { BucketMarks, TimeChart } from './time-chart.ts'

type Chart = Pick<TimeChart, 'kind' | 'values' | 'ticks' | 'marked' | 'goals'> & {
  mean: { value: number; label: string }
}

const LEAST_HEIGHT = 6 * LINE_HEIGHT
const MOST_HEIGHT = 13 * LINE_HEIGHT

/** Draws the chart of usage time, as high as the page allows with `below` points under it. */
export function drawUsage(sheet: Sheet, below: number): void {
  const { words, report } = sheet
  const { figures, goals } = report
  const buckets = bucketsOf(report)
  const hours = bucketMeans(buckets, (night) =>
    night.treatment_time === null ? null : night.treatment_time / 3600,
  )
  const room = CONTENT_AREA.bottom - sheet.y - below - 6.25 * LINE_HEIGHT - CHART_FOOT_HEIGHT
  drawSection(
    sheet,
    { ...words.usage, height: Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, room)) },
    {
      kind: 'bars',
      values: hours,
      ticks: hourTicks(
        Math.max(1, ...goals.map(({ minutes }) => minutes / 60), ...hours.map((value) => value ?? 0)),
      ),
      mean: {
        value: figures.meanTimeOfDates / 3600,
        label: words.usage.mean(duration(figures.meanTimeOfDates, words)),
      },
      goals: buckets.map(({ nights }) => (nights.at(-1)?.goal_minutes ?? 0) / 60),
      marked: lossMarks(buckets, isByWeek(report)),
    },
  )
}

/** The signs of contact losses: for each date that has one, or the number of those of a week's nights. */
const lossMarks = (buckets: readonly Bucket[], isByWeek: boolean): BucketMarks =>
  new Map(
    buckets.flatMap((bucket, index): [number, string | undefined][] => {
      if (!isByWeek)
        return bucket.nights.some((night) => night.contact_losses > 0) ? [[index, undefined]] : []
      const losses = contactLossesOf(bucket) ?? 0
      return losses > 0 ? [[index, String(losses)]] : []
    }),
  )

/** Draws the chart of intensity. */
export function drawIntensity(sheet: Sheet): void {
  const { figures } = sheet.report
  const values = bucketMeans(bucketsOf(sheet.report), (night) => night.last_intensity)
  drawSection(
    sheet,
    { ...sheet.words.intensity, height: 8 * LINE_HEIGHT },
    {
      kind: 'dots',
      values,
      ticks: ticks(0, axisMaximum(values)),
      mean: {
        value: figures.meanIntensity,
        label: sheet.words.intensity.mean(decimal(figures.meanIntensity)),
      },
    },
  )
}

/** Draws the chart of movement. */
export function drawMovement(sheet: Sheet): void {
  const { figures } = sheet.report
  const values = bucketMeans(bucketsOf(sheet.report), (night) => night.movement)
  drawSection(
    sheet,
    { ...sheet.words.movement, height: 8 * LINE_HEIGHT },
    {
      kind: 'bars',
      values,
      ticks: ticks(0, axisMaximum(values)),
      mean: { value: figures.meanMovement, label: sheet.words.movement.mean(decimal(figures.meanMovement)) },
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
  // The first page says that there is no record.
  if (report.figures.datesWithData === 0) return
  const buckets = bucketsOf(report)
  sheet.section(
    isByWeek(report) ? words.byWeek(title) : title,
    1.75 * LINE_HEIGHT + height + CHART_FOOT_HEIGHT,
  )
  const { y } = sheet
  const gaps = findBucketIndexes(
    buckets,
    ({ nights }, index) => chart.values[index] === null && nights.some(({ counts }) => counts),
  )
  const goal = chart.goals ? [words.usage.goal(goalRange(report.goals, words))] : []
  sheet.tag('Caption', () => type.write(axis, CONTENT_AREA.left, y + 0.5 * LINE_HEIGHT, styles.label))
  drawLegend(sheet, CONTENT_AREA.right, y + 0.5 * LINE_HEIGHT, [
    ...(gaps.size > 0 ? [['gap', words.legend.noRecord] as const] : []),
    ...(chart.marked && chart.marked.size > 0
      ? [
          isByWeek(report)
            ? (['count', words.legend.contactLosses] as const)
            : (['loss', words.legend.contactLoss] as const),
        ]
      : []),
    ...goal.map((label) => ['goal', label] as const),
    ['mean', chart.mean.label],
  ])
  const top = y + (chart.marked ? 1.75 : 1.25) * LINE_HEIGHT
  drawTimeChart(sheet, {
    ...chart,
    buckets,
    gaps,
    mean: chart.mean.value,
    x: CONTENT_AREA.left,
    y: top,
    width: CONTENT_WIDTH,
    height,
    alt: [
      `${summary}. ${words.range(report.period.first, report.period.last)}`,
      chart.mean.label,
      ...goal,
    ].join('. '),
  })
  sheet.y = top + height + CHART_FOOT_HEIGHT
  sheet.close()
}

const isMeasured = (night: ReportDay) => night.temperature !== null

/** Draws the charts of temperature, humidity, brightness and noise, side by side. */
export function drawSleep(sheet: Sheet): void {
  const { words, report, type } = sheet
  const { sleep } = words
  if (!report.nights.some(isMeasured)) return
  const buckets = bucketsOf(report)
  const height = 6 * LINE_HEIGHT
  const block = 1.5 * LINE_HEIGHT + height + CHART_FOOT_HEIGHT + 0.5 * LINE_HEIGHT
  sheet.section(isByWeek(report) ? words.byWeek(sleep.title) : sleep.title, 1.5 * LINE_HEIGHT + 2 * block)
  if (!buckets.every(({ nights }) => nights.some(isMeasured))) {
    drawLegend(sheet, CONTENT_AREA.right, sheet.y + 0.75 * LINE_HEIGHT, [['gap', words.legend.noReading]])
  }
  sheet.paragraph(sleep.note(report.station), styles.quiet)
  const top = sheet.y + 0.5 * LINE_HEIGHT
  const width = (CONTENT_WIDTH - 2 * LINE_HEIGHT) / 2
  const of = (field: 'temperature' | 'humidity' | 'brightness' | 'noise') =>
    bucketMeans(buckets, (night) => night[field])
  // A panel without `span` has a scale that starts at 0.
  const panels = [
    { title: sleep.temperature, values: of('temperature'), span: 4 },
    { title: sleep.humidity, values: of('humidity'), span: 20 },
    { title: `${sleep.brightness} (${sleep.sensorValue})`, values: of('brightness') },
    { title: `${sleep.noise} (${sleep.sensorValue})`, values: of('noise') },
  ]
  for (const [index, { title, values, span }] of panels.entries()) {
    const x = CONTENT_AREA.left + (index % 2) * (width + 2 * LINE_HEIGHT)
    const y = top + Math.floor(index / 2) * block
    const known = values.filter((value) => value !== null)
    sheet.tag('Caption', () => type.write(title, x, y + 0.75 * LINE_HEIGHT, styles.strong))
    drawTimeChart(sheet, {
      x,
      y: y + 1.5 * LINE_HEIGHT,
      width,
      height,
      kind: 'line',
      buckets,
      values,
      gaps: findBucketIndexes(buckets, (_, index) => values[index] === null),
      ticks: span === undefined ? ticks(0, axisMaximum(values)) : ticksCovering(known, span),
      alt: `${title}. ${words.range(report.period.first, report.period.last)}.`,
    })
  }
  sheet.y = top + 2 * block - 0.5 * LINE_HEIGHT
  sheet.close()
}
