import { ticks } from './axis.ts'
import { drawGrid } from './grid.ts'
import { BLUE, INK, LINE_HEIGHT, QUIET_COLOR, RED, RULE_COLOR, styles } from './palette.ts'
import { CONTENT_AREA, CONTENT_WIDTH } from './sheet.ts'
import type { Sheet } from './sheet.ts'
import type { ReportSurvey } from '../report-data.ts'
import { countDays } from '../../time/report-period.ts'
import { daysBetween } from '../../time/wall-clock.ts'
import { CHART_FOOT_HEIGHT, drawDateAxis } from './time-chart.ts'

const HEIGHT = 9 * LINE_HEIGHT

/** Draws a chart of the survey scores over time and a table of all scores. */
export function drawSurveys(sheet: Sheet): void {
  const { words, report } = sheet
  const { surveys } = words
  // The first page says that there are none.
  if (report.surveys.length === 0) return
  // A single survey has no course over time.
  const hasChart = report.surveys.length > 1
  sheet.section(
    surveys.title,
    hasChart ? 2 * LINE_HEIGHT + HEIGHT + CHART_FOOT_HEIGHT + LINE_HEIGHT : 5 * LINE_HEIGHT,
  )
  sheet.paragraph(surveys.explained, styles.quiet)
  if (hasChart) drawChart(sheet)
  sheet.need(4 * LINE_HEIGHT)
  const score = (CONTENT_WIDTH - 160) / 3
  drawGrid(
    sheet,
    [
      { title: surveys.date, width: 160, align: 'left' },
      { title: surveys.attention, width: score, align: 'right' },
      { title: surveys.impulsivity, width: score, align: 'right' },
      { title: surveys.disorder, width: score, align: 'right' },
    ],
    report.surveys.map((survey) => ({
      cells: [
        words.date(survey.date),
        ...[survey.attention_score, survey.impulsivity_score, survey.disorder_score].map(String),
      ],
    })),
  )
  sheet.close()
}

function drawChart(sheet: Sheet): void {
  const { words, report } = sheet
  const alt = `${words.surveys.title}. ${words.range(report.period.first, report.period.last)}.`
  sheet.y += LINE_HEIGHT
  sheet.tag('Figure', () => drawScores(sheet), { alt })
  sheet.y += HEIGHT + CHART_FOOT_HEIGHT + LINE_HEIGHT
}

type Score = 'attention_score' | 'impulsivity_score' | 'disorder_score'

function drawScores(sheet: Sheet): void {
  const { doc, type, words, report, y } = sheet
  const [left, right, bottom] = [CONTENT_AREA.left + 30, CONTENT_AREA.right - 74, y + HEIGHT]
  const scores: readonly { key: Score; label: string; color: string }[] = [
    { key: 'attention_score', label: words.surveys.attention, color: BLUE },
    { key: 'impulsivity_score', label: words.surveys.impulsivity, color: RED },
    { key: 'disorder_score', label: words.surveys.disorder, color: INK },
  ]
  const scale = ticks(
    0,
    Math.max(1, ...report.surveys.flatMap((survey) => scores.map(({ key }) => survey[key]))),
  )
  const most = scale.at(-1) ?? 1
  const level = (value: number) => bottom - (value / most) * HEIGHT
  const count = countDays(report.period)
  const at = ({ date }: ReportSurvey) =>
    left + ((daysBetween(report.period.first, date) + 0.5) / count) * (right - left)
  for (const tick of scale) {
    doc
      .moveTo(left, level(tick))
      .lineTo(right, level(tick))
      .lineWidth(tick === 0 ? 0.7 : 0.35)
    doc.stroke(tick === 0 ? QUIET_COLOR : RULE_COLOR)
    type.write(String(tick), left - 5, level(tick) + 2.6, styles.label, 'right')
  }
  drawDateAxis(sheet, left, right, bottom)
  const ends = spread(scores.map(({ key }) => level(report.surveys.at(-1)?.[key] ?? 0)))
  for (const [index, { key, color }] of scores.entries()) {
    for (const [place, survey] of report.surveys.entries()) {
      if (place === 0) doc.moveTo(at(survey), level(survey[key]))
      else doc.lineTo(at(survey), level(survey[key]))
    }
    doc.lineWidth(1)
    // Where lines lie on each other, each shows in the gaps of the next.
    if (index > 0) doc.dash(index === 1 ? 5 : 1.5, { space: 3 })
    doc.stroke(color).undash()
  }
  for (const [index, { key, label, color }] of scores.entries()) {
    for (const survey of report.surveys) {
      // Equal scores stand side by side.
      const equal = [...scores.keys()].filter((other) => survey[scores[other]?.key ?? key] === survey[key])
      const shift = (equal.indexOf(index) - (equal.length - 1) / 2) * 6
      shape(doc, index, at(survey) + shift, level(survey[key]), color)
    }
    // Each line is named at its end, so that no legend is needed.
    const end = ends[index] ?? bottom
    shape(doc, index, right + 10, end, color)
    type.write(label, right + 17, end + 2.6, { ...styles.label, color })
  }
}

/** Draws a circle, a square or a triangle, which differ even without colour. */
function shape(doc: PDFKit.PDFDocument, index: number, x: number, y: number, color: string): void {
  if (index === 0) doc.circle(x, y, 2.4)
  else if (index === 1) doc.rect(x - 2.2, y - 2.2, 4.4, 4.4)
  else {
    doc
      .moveTo(x, y - 2.8)
      .lineTo(x + 2.8, y + 2.2)
      .lineTo(x - 2.8, y + 2.2)
      .closePath()
  }
  doc.lineWidth(0.8).fillAndStroke('#ffffff', color)
}

/** Moves heights apart until each has room for a line of text; their order stays. */
function spread(heights: readonly number[]): number[] {
  const placed = [...heights]
  const order = [...heights.keys()].toSorted((one, other) => (heights[one] ?? 0) - (heights[other] ?? 0))
  for (const [place, index] of order.entries()) {
    const above = order[place - 1]
    if (above !== undefined) placed[index] = Math.max(placed[index] ?? 0, (placed[above] ?? 0) + 10)
  }
  return placed
}
