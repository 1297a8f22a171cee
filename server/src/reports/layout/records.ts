import { weekday } from '../../time/wall-clock.ts'
import { isUsed } from '../adherence-figures.ts'
import type { CountedDay } from '../adherence-figures.ts'
import type { ReportDay } from '../report-data.ts'
import { bucketsOf, isByWeek, valuesOf } from './buckets.ts'
import type { Bucket } from './buckets.ts'
import { grouped, hourMinute, tenths } from './figures.ts'
import { drawGrid } from './grid.ts'
import type { Column, Row } from './grid.ts'
import { LINE, QUIET, styles } from './palette.ts'
import type { Sheet } from './sheet.ts'

const NONE = '–'

const number = (title: Column['title'], width: number): Column => ({ title, width, align: 'right' })

/** Draws a table of every date of the period, including those without a record; of a long period, of every week. */
export function drawRecords(sheet: Sheet): void {
  const { words, report } = sheet
  // The first page says that there is no record.
  if (!report.nights.some((night) => night.uses > 0 || night.temperature !== null)) return
  const { title, explained } = isByWeek(report) ? words.weeks : words.table
  sheet.section(title, 6 * LINE)
  sheet.paragraph(explained, styles.quiet)
  sheet.y += 0.25 * LINE
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
    report.nights.map((night) => rowOf(night, words.date(night.treatment_date))),
  )
}

function rowOf(night: ReportDay, date: string): Row {
  return {
    isParted: weekday(night.treatment_date) === 0,
    style: night.uses === 0 ? { ...styles.cell, color: QUIET } : styles.cell,
    cells: [
      date,
      night.uses === 0 ? NONE : String(night.uses),
      night.first_start ?? NONE,
      shown(night.treatment_time, hourMinute),
      shown(night.last_intensity, tenths),
      shown(night.movement, grouped),
      night.uses === 0 ? NONE : String(night.contact_losses),
      shown(night.temperature, tenths),
      shown(night.humidity, tenths),
      shown(night.brightness, grouped),
      shown(night.noise, grouped),
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
    valuesOf(buckets, read).map((value) => shown(value, format))
  const read = [
    means((night) => (night.nightCounts ? night.night_time : null), hourMinute),
    means((night) => night.last_intensity, tenths),
    means((night) => night.movement, tenths),
    buckets.map(lossesOf),
    means((night) => night.temperature, tenths),
    means((night) => night.humidity, tenths),
    means((night) => night.brightness, tenths),
    means((night) => night.noise, tenths),
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

/** Of the used nights. */
function lossesOf({ nights }: Bucket): string {
  const used = nights.filter((night) => night.nightCounts && isUsed(night))
  return used.length === 0 ? NONE : String(used.reduce((sum, night) => sum + night.night_losses, 0))
}

const shown = (value: number | null, format: (value: number) => string) =>
  value === null ? NONE : format(value)
