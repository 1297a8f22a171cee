import { countDays } from '../../time/report-period.ts'
import { wholeMinutes } from '../../time/whole-minutes.ts'
import type { AdherenceFigures } from '../adherence-figures.ts'
import { areComparable, changeOf } from '../change.ts'
import type { Change } from '../change.ts'
import type { Words } from '../languages/words.ts'
import type { Report } from '../report.ts'
import { formatClockTime, decimal, duration, goalRange } from './figures.ts'
import { LINE_HEIGHT, styles } from './palette.ts'
import { CONTENT_AREA, CONTENT_WIDTH } from './sheet.ts'
import type { Sheet } from './sheet.ts'

const COLUMNS = 3
const TILE_HEIGHT = 4.5 * LINE_HEIGHT

/** The height of all figures, in points. */
export const GLANCE_HEIGHT = 2 * TILE_HEIGHT + 3 * LINE_HEIGHT

/** Draws the six figures by which a report is judged, and the others small below them. */
export function drawGlance(sheet: Sheet): void {
  const { report, words, type } = sheet
  const width = CONTENT_WIDTH / COLUMNS
  const place = (index: number, height: number) => ({
    x: CONTENT_AREA.left + (index % COLUMNS) * width,
    y: sheet.y + Math.floor(index / COLUMNS) * height,
  })
  for (const [index, tile] of tilesOf(report, words).entries())
    drawTile(sheet, tile, { ...place(index, TILE_HEIGHT), width: width - 0.75 * LINE_HEIGHT })
  sheet.y += 2 * TILE_HEIGHT
  for (const [index, { label, figure }] of othersOf(report, words).entries()) {
    const { x, y } = place(index, LINE_HEIGHT)
    const baseline = y + 0.5 * LINE_HEIGHT
    const end = x + width - 0.75 * LINE_HEIGHT
    const room = width - LINE_HEIGHT - type.width(label, styles.label)
    sheet.tag('P', () => {
      type.write(label, x, baseline, styles.label)
      type.write(figure, end, baseline, type.shrink(figure, styles.cellStrong, room), 'right')
    })
  }
  sheet.y += 3 * LINE_HEIGHT
}

interface Figure {
  label: string
  figure: string
}

interface Tile extends Figure {
  note: string
  before?: string | undefined
  change?: Change | undefined
}

const lossesANight = (each: AdherenceFigures) => Math.round((10 * each.contactLosses) / each.nightsUsed) / 10
const gap = (each: AdherenceFigures) => each.longestGap?.nights ?? 0

function tilesOf({ figures, before, period, surveys }: Report, words: Words): Tile[] {
  const { glance } = words
  const { nightsCounted, nightsUsed, longestGap } = figures
  const isJudged = before !== undefined && areComparable(figures, before, countDays(period))
  const judged = (read: (figures: AdherenceFigures) => number, better: 'more' | 'fewer') =>
    isJudged ? changeOf(read(before), read(figures), better) : undefined
  const isUsedToo = before !== undefined && before.nightsUsed > 0 && nightsUsed > 0

  /** A number of nights, as a share of those that count. */
  const ofNights = (count: (figures: AdherenceFigures) => number) => {
    const share = (each: AdherenceFigures) => Math.round((100 * count(each)) / each.nightsCounted)
    return {
      figure: glance.ofNights(count(figures), nightsCounted),
      note: nightsCounted > 0 ? glance.share(share(figures)) : '',
      before: before && glance.ofNightsBefore(count(before), before.nightsCounted, share(before)),
      change: judged(share, 'more'),
    }
  }
  /** A figure of used nights. */
  const ofUsed = (text: (figures: AdherenceFigures) => string) => ({
    figure: nightsUsed > 0 ? text(figures) : glance.none,
    before: isUsedToo ? text(before) : undefined,
  })
  const [first, last] = [surveys[0], surveys.at(-1)]
  const isCourse = surveys.length > 1 && first !== undefined && last !== undefined
  return [
    { label: glance.nightsUsed, ...ofNights((each) => each.nightsUsed) },
    { label: glance.nightsAtGoal, ...ofNights((each) => each.nightsAtGoal) },
    {
      label: glance.medianTime,
      ...ofUsed((each) => duration(each.medianTime, words)),
      note: nightsUsed > 0 ? glance.perNight(nightsUsed) : '',
      change: isUsedToo ? judged((each) => wholeMinutes(each.medianTime), 'more') : undefined,
    },
    {
      label: glance.longestGap,
      figure: nightsCounted > 0 ? glance.gap(gap(figures)) : glance.none,
      note: longestGap ? gapDates(longestGap, words) : '',
      before: before && glance.gap(gap(before)),
      change: judged(gap, 'fewer'),
    },
    {
      label: glance.contactLosses,
      figure: nightsUsed > 0 ? String(figures.contactLosses) : glance.none,
      note: nightsUsed > 0 ? glance.lossNights(figures.nightsWithLosses, decimal(lossesANight(figures))) : '',
      before: isUsedToo ? glance.lossesANight(decimal(lossesANight(before))) : undefined,
      change: isUsedToo ? judged(lossesANight, 'fewer') : undefined,
    },
    {
      label: glance.survey,
      figure: !last
        ? glance.none
        : isCourse
          ? glance.fromTo(first.disorder_score, last.disorder_score)
          : String(last.disorder_score),
      note: isCourse
        ? glance.otherScores(
            glance.fromTo(first.attention_score, last.attention_score),
            glance.fromTo(first.impulsivity_score, last.impulsivity_score),
          )
        : last
          ? words.date(last.date)
          : '',
      change: isCourse ? changeOf(first.disorder_score, last.disorder_score, 'fewer') : undefined,
    },
  ]
}

function othersOf({ figures, usualStart, goals }: Report, words: Words): Figure[] {
  const { glance } = words
  const ofUsed = (text: string) => (figures.nightsUsed > 0 ? text : glance.none)
  const ofDates = (text: string) => (figures.datesWithData > 0 ? text : glance.none)
  return [
    { label: glance.meanTime, figure: ofUsed(duration(figures.meanTime, words)) },
    { label: glance.meanTimeOfAll, figure: ofUsed(duration(figures.meanTimeOfAll, words)) },
    { label: glance.totalTime, figure: ofUsed(duration(figures.totalTime, words)) },
    { label: glance.meanIntensity, figure: ofDates(decimal(figures.meanIntensity)) },
    { label: glance.meanMovement, figure: ofDates(decimal(figures.meanMovement)) },
    {
      label: glance.usualStart,
      figure: usualStart === undefined ? glance.none : formatClockTime(usualStart),
    },
    { label: glance.goal, figure: goalRange(goals, words) },
  ]
}

const gapDates = ({ first, last }: { first: string; last: string }, words: Words) =>
  first === last ? words.shortDate(first) : `${words.shortDate(first)} – ${words.shortDate(last)}`

function drawTile(
  { tag, type, words: { glance } }: Sheet,
  { label, figure, note, before, change }: Tile,
  { x, y, width }: { x: number; y: number; width: number },
): void {
  const compared = [
    ...(change ? [`${change.arrow} ${glance.verdict[change.verdict]}`] : []),
    ...(before === undefined ? [] : [glance.before(before)]),
  ].join(', ')
  tag('P', () => {
    type.write(type.fit(label, styles.tile, width), x, y + 0.75 * LINE_HEIGHT, styles.tile)
    type.write(figure, x, y + 2.1 * LINE_HEIGHT, type.shrink(figure, styles.figure, width))
    if (note) type.write(type.fit(note, styles.label, width), x, y + 2.95 * LINE_HEIGHT, styles.label)
    if (compared)
      type.write(compared, x, y + 3.7 * LINE_HEIGHT, type.shrink(compared, styles.labelStrong, width))
  })
}
