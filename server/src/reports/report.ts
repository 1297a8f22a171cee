import { usageChartOf } from '../charts/usage-chart.ts'
import type { Days } from '../time/chart-window.ts'
import { countDays } from '../time/report-period.ts'
import { today } from '../time/wall-clock.ts'
import { circularMedian } from './circular-median.ts'
import type { LanguageCode } from './languages/index.ts'
import type { ReportData, ReportDay, ReportSurvey } from './report-data.ts'
import { shortenNotes } from './shorten-notes.ts'
import type { ReportNote } from './shorten-notes.ts'

/** The content of a report, ready to be drawn: plain values that can be sent to a worker thread. */
export interface Report {
  language: LanguageCode
  /** Milliseconds since 1970, shown in `timeZone`. */
  madeAt: number
  timeZone: string
  child: { name: string; birthdate: string; age: number; gender: 'M' | 'F' | 'N' | 'P' }
  station: string
  period: Days
  /** The service's date when the report was made; tonight's use may still come. */
  today: string
  /** The dates of the period up to today, or up to a later date if a device has already recorded on it. */
  nights: ReportDay[]
  figures: Figures
  events: ReportNote[]
  surveys: ReportSurvey[]
}

export interface Figures {
  /** The number of nights that the calendar counts as used. */
  nightsUsed: number
  /** The number of past nights, and tonight once the device was used. */
  nightsPossible: number
  /** The number of dates with any record; means are taken over these, as in the charts. */
  nightsWithData: number
  meanTime: number
  totalTime: number
  meanIntensity: number
  meanMovement: number
  /** The usual bedtime in minutes after midnight. */
  usualStart: number | undefined
  contactFaults: number
  nightsWithFaults: number
}

export interface Making {
  language: LanguageCode
  period: Days
  timeZone: string
  now: Date
}

/** Computes a report's figures from its data. */
export function makeReport(
  { subject, days, bedtimes, events, surveys }: ReportData,
  { language, period, timeZone, now }: Making,
): Report {
  const date = today(timeZone, now)
  const used = days.filter(({ uses }) => uses > 0)
  // A device's clock may be ahead of the service's, so a recorded night was possible.
  const end = [date, ...used.map((day) => day.treatment_date)].reduce((one, other) =>
    one > other ? one : other,
  )
  const nights = days.slice(0, Math.max(0, countDays({ first: period.first, last: end })))
  const chart = usageChartOf(used)
  return {
    language,
    madeAt: now.getTime(),
    timeZone,
    child: {
      name: fullName(subject),
      birthdate: wireDate(subject.birthdate),
      age: ageOn(date, wireDate(subject.birthdate)),
      gender: subject.gender,
    },
    station: subject.serial_code,
    period,
    today: date,
    nights,
    figures: {
      nightsUsed: days.filter((day) => day.is_counted).length,
      nightsPossible: nights.filter((night) => isPossible(night, date)).length,
      nightsWithData: used.length,
      meanTime: chart.avg_treatment_time,
      totalTime: sum(used.map((day) => day.treatment_time ?? 0)),
      meanIntensity: chart.avg_treatment_intensity,
      meanMovement: chart.avg_movement,
      usualStart: circularMedian(bedtimes),
      contactFaults: sum(days.map((day) => day.contact_faults)),
      nightsWithFaults: days.filter((day) => day.contact_faults > 0).length,
    },
    events: shortenNotes(events),
    surveys,
  }
}

/** Whether the device could have been used that night; tonight counts only once it was used. */
export const isPossible = ({ treatment_date, uses }: ReportDay, today: string) =>
  treatment_date < today || uses > 0

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

const wireDate = (text: string) => `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`

/** Joins the names; a Korean family name comes first. */
const fullName = ({ first_name, last_name }: { first_name: string; last_name: string }) =>
  /^\p{Script=Hangul}+$/u.test(last_name)
    ? `${last_name}${first_name}`
    : [first_name, last_name].filter(Boolean).join(' ')

/** The age in years. Both dates are `yyyy-mm-dd`, so month and day can be compared as texts. */
const ageOn = (date: string, birthdate: string) =>
  Math.max(
    0,
    Number(date.slice(0, 4)) - Number(birthdate.slice(0, 4)) - (date.slice(5) < birthdate.slice(5) ? 1 : 0),
  )
