import { countDays } from '../../time/report-period.ts'
import type { Words } from '../languages/words.ts'
import type { Figures } from '../report.ts'
import { clock, duration, tenths } from './figures.ts'
import { INK, LINE, styles } from './palette.ts'
import { PAGE, WIDTH } from './sheet.ts'
import type { Sheet } from './sheet.ts'

const LABELS = 88

/** Draws the head of the first page: the child, the period and the main figures. */
export function drawSummary(sheet: Sheet, madeAt: string): void {
  const { doc, type, words, report } = sheet
  const { child, period } = report
  sheet.y = 52
  sheet.tag('H1', () => type.write(words.title, PAGE.left, sheet.y + 1.5 * LINE, styles.title))
  sheet.y += 2.5 * LINE
  sheet.decorate(() => {
    doc.moveTo(PAGE.left, sheet.y).lineTo(PAGE.right, sheet.y).lineWidth(1.2).stroke(INK)
  })
  sheet.y += 0.75 * LINE
  sheet.paragraph(child.name, styles.name, { leading: 1.5 * LINE })
  const gender = words.gender[child.gender]
  sheet.paragraph([words.born(child.birthdate, child.age), ...(gender ? [gender] : [])].join(', '))
  sheet.y += 0.5 * LINE
  const days = words.nights(countDays(period))
  fact(sheet, words.period, `${words.range(period.first, period.last)} (${days})`)
  fact(sheet, words.station, report.station)
  fact(sheet, words.made, madeAt)
  sheet.section(words.glance.title, 10 * LINE)
  const top = sheet.y
  const width = WIDTH / 3
  for (const [index, tile] of tiles(report.figures, words).entries()) {
    const y = top + Math.floor(index / 3) * 5 * LINE
    drawTile(sheet, tile, PAGE.left + (index % 3) * width, y, width - LINE)
  }
  sheet.y = top + 9 * LINE
  sheet.close()
}

function fact(sheet: Sheet, label: string, value: string): void {
  const { y } = sheet
  sheet.open('Div')
  sheet.tag('P', () => sheet.type.write(label, PAGE.left, y + 0.75 * LINE, styles.quiet))
  sheet.paragraph(value, styles.body, { x: PAGE.left + LABELS, width: WIDTH - LABELS })
  sheet.close()
}

interface Tile {
  label: string
  figure: string
  note: string
}

function tiles(figures: Figures, words: Words): Tile[] {
  const { glance } = words
  const { nightsUsed, nightsPossible, nightsWithData, contactFaults } = figures
  const hasData = nightsWithData > 0
  const overNights = hasData ? glance.perNight(nightsWithData) : ''
  return [
    {
      label: glance.nightsUsed,
      figure: glance.ofPossible(nightsUsed, nightsPossible),
      note: nightsPossible > 0 ? glance.share(Math.round((100 * nightsUsed) / nightsPossible)) : '',
    },
    {
      label: glance.meanTime,
      figure: hasData ? duration(figures.meanTime, words) : glance.none,
      note: overNights,
    },
    {
      label: glance.totalTime,
      figure: hasData ? duration(figures.totalTime, words) : glance.none,
      note: overNights,
    },
    {
      label: glance.usualStart,
      figure: figures.usualStart === undefined ? glance.none : clock(figures.usualStart),
      note: hasData ? glance.usualStartNote : '',
    },
    {
      label: glance.meanIntensity,
      figure: hasData ? tenths(figures.meanIntensity) : glance.none,
      note: overNights,
    },
    {
      label: glance.contactFaults,
      figure: hasData ? String(contactFaults) : glance.none,
      note: hasData ? glance.faultNights(figures.nightsWithFaults) : '',
    },
  ]
}

function drawTile(sheet: Sheet, { label, figure, note }: Tile, x: number, y: number, width: number): void {
  const { type } = sheet
  sheet.tag('P', () => {
    type.write(type.fit(label, styles.strong, width), x, y + 0.75 * LINE, styles.strong)
    const size = Math.min(1, width / type.width(figure, styles.figure)) * styles.figure.size
    type.write(figure, x, y + 2.5 * LINE, { ...styles.figure, size })
    type.write(type.fit(note, styles.label, width), x, y + 3.5 * LINE, styles.label)
  })
}

/** Draws the definitions of a night and a gap, on the first page because every figure depends on them. */
export function drawReading(sheet: Sheet): void {
  const { title, lines } = sheet.words.reading
  const height = lines.reduce(
    (sum, line) => sum + sheet.type.wrap(line, styles.quiet, WIDTH).length * LINE,
    0,
  )
  sheet.section(title, height)
  for (const line of lines) sheet.paragraph(line, styles.quiet)
  sheet.close()
}
