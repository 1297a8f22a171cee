import { daysBetween, weekday } from '../../time/wall-clock.ts'
import { isUsed } from '../adherence-figures.ts'
import type { CountedDay } from '../adherence-figures.ts'
import type { ReportDay } from '../report-data.ts'
import { bucketsOf, isByWeek, contactLossesOf, bucketMeans } from './buckets.ts'
import { formatThousands, hourMinute, decimal } from './figures.ts'
import { drawGrid } from './grid.ts'
import type { Column, Row } from './grid.ts'
import { LINE_HEIGHT, QUIET_COLOR, styles } from './palette.ts'
import type { Sheet } from './sheet.ts'

const NONE = '–'

const number = (title: Column['title'], width: number): Column => ({ title, width, align: 'right' })

/** Draws a table of the dates of the period that have a record or a reading; of a long period, of every week. */
export function drawRecords(sheet: Sheet): void {
  const { words, report } = sheet
  // The first page says that there is no record.
  if (report.figures.datesWithData === 0) return
  const { title, explained } = isByWeek(report) ? words.weeks : words.table
  sheet.section(title, 6 * LINE_HEIGHT)
  sheet.paragraph(explained, styles.quiet)
  sheet.y += 0.25 * LINE_HEIGHT
  if (isByWeek(report)) drawWeeks(sheet)
  else drawDates(sheet)
  sheet.close()
}

function drawDates(sheet: Sheet): void {
  const { words, report } = sheet
  const { table } = words
  const columns: Column[] = [
    { title: table.date, width: 108, align: 'left' },
    number(table.uses, 30),
    number(table.start, 37),
    number(table.time, 40),
    number(table.intensity, 45),
    number(table.movement, 50),
    number(table.losses, 41),
    number(table.temperature, 37),
    number(table.humidity, 37),
    number(table.brightness, 35),
    number(table.noise, 33.28),
  ]
  drawGrid(
    sheet,
    columns,
    report.nights
      .filter((night) => night.uses > 0 || night.temperature !== null)
      .map((night, index, shown) => rowOf(night, words.date(night.treatment_date), shown[index - 1])),
  )
}

function rowOf(night: ReportDay, date: string, before: ReportDay | undefined): Row {
  return {
    // A rule parts weeks.
    isParted:
      before !== undefined &&
      weekday(before.treatment_date) + daysBetween(before.treatment_date, night.treatment_date) > 6,
    style: night.uses === 0 ? { ...styles.cell, color: QUIET_COLOR } : styles.cell,
    cells: [
      date,
      night.uses === 0 ? NONE : String(night.uses),
      night.first_start ?? NONE,
      shown(night.treatment_time, hourMinute),
      shown(night.last_intensity, decimal),
      shown(night.movement, formatThousands),
      night.uses === 0 ? NONE : String(night.contact_losses),
      shown(night.temperature, decimal),
      shown(night.humidity, decimal),
      shown(night.brightness, formatThousands),
      shown(night.noise, formatThousands),
    ],
  }
}

function drawWeeks(sheet: Sheet): void {
  const { words, report } = sheet
  const { table, weeks } = words
  const columns: Column[] = [
    { title: weeks.week, width: 110, align: 'left' },
    number(weeks.used, 42),
    number(weeks.atGoal, 42),
    number(table.time, 40),
    number(table.intensity, 44),
    number(table.movement, 44),
    number(table.losses, 37),
    number(table.temperature, 34),
    number(table.humidity, 34),
    number(table.brightness, 34),
    number(table.noise, 32.28),
  ]
  const buckets = bucketsOf(report)
  const means = (read: (night: CountedDay) => number | null, format: (value: number) => string) =>
    bucketMeans(buckets, read).map((value) => shown(value, format))
  const read = [
    means((night) => (night.nightCounts ? night.night_time : null), hourMinute),
    means((night) => night.last_intensity, decimal),
    means((night) => night.movement, decimal),
    buckets.map((bucket) => shown(contactLossesOf(bucket), String)),
    means((night) => night.temperature, decimal),
    means((night) => night.humidity, decimal),
    means((night) => night.brightness, decimal),
    means((night) => night.noise, decimal),
  ]
  drawGrid(
    sheet,
    columns,
    buckets.map(({ first, last, nights }, index) => {
      const counted = nights.filter(({ nightCounts }) => nightCounts)
      const used = counted.filter(isUsed)
      const share = (count: number) => (counted.length === 0 ? NONE : `${count} / ${counted.length}`)
      return {
        isParted: first.slice(0, 7) !== buckets[index - 1]?.first.slice(0, 7),
        cells: [
          weeks.dates(first, last),
          share(used.length),
          share(used.filter((night) => night.has_reached).length),
          ...read.map((cells) => cells[index] ?? NONE),
        ],
      }
    }),
  )
}

const shown = (value: number | null, format: (value: number) => string) =>
  value === null ? NONE : format(value)
