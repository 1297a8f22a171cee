import { weekday } from '../../time/wall-clock.ts'
import type { ReportDay } from '../report-data.ts'
import { grouped, hourMinute, tenths } from './figures.ts'
import { drawGrid } from './grid.ts'
import type { Column, Row } from './grid.ts'
import { LINE, QUIET, styles } from './palette.ts'
import type { Sheet } from './sheet.ts'

const NONE = '–'

const number = (title: Column['title'], width: number): Column => ({ title, width, align: 'right' })

/** Draws a table of every night of the period, including nights without a record. */
export function drawNights(sheet: Sheet): void {
  const { words, report } = sheet
  const { table } = words
  sheet.section(table.title, 6 * LINE)
  if (!report.nights.some((night) => night.uses > 0 || night.temperature !== null)) {
    sheet.paragraph(report.nights.length === 0 ? words.notBegun : words.nothingRecorded, styles.quiet)
    sheet.close()
    return
  }
  sheet.paragraph(table.explained, styles.quiet)
  sheet.y += 0.25 * LINE
  const columns: Column[] = [
    { title: table.date, width: 108, align: 'left' },
    number(table.uses, 30),
    number(table.start, 37),
    number(table.time, 40),
    number(table.intensity, 45),
    number(table.movement, 50),
    number(table.faults, 41),
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
  sheet.close()
}

function rowOf(night: ReportDay, date: string): Row {
  const shown = (value: number | null, format: (value: number) => string = String) =>
    value === null ? NONE : format(value)
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
      night.uses === 0 ? NONE : String(night.contact_faults),
      shown(night.temperature, tenths),
      shown(night.humidity, tenths),
      shown(night.brightness, grouped),
      shown(night.noise, grouped),
    ],
  }
}
