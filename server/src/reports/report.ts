import { usageChartOf } from '../charts/usage-chart.ts'
import type { Days } from '../time/chart-window.ts'
import { countDays } from '../time/report-period.ts'
import { today } from '../time/wall-clock.ts'
import { circularMedian } from './circular-median.ts'
import type { LanguageCode } from './languages/index.ts'
import type { ReportData, ReportDay, ReportSurvey } from './report-data.ts'
import { shortenNotes } from './shorten-notes.ts'
import type { ReportNote } from './shorten-notes.ts'

/** What a report says, ready to be drawn: plain values that a worker thread can be sent. */
export interface Report {
  language: LanguageCode
  /** Milliseconds since 1970, and the zone in which it is shown. */
  madeAt: number
  timeZone: string
  child: { name: string; birthdate: string; age: number; gender: 'M' | 'F' | 'N' | 'P' }
  station: string
  period: Days
  /** The service's date when it was made: its night may still come. */
  today: string
  /** The dates of the period that are over or have begun. */
  nights: ReportDay[]
  figures: Figures
  events: ReportNote[]
  surveys: ReportSurvey[]
}

export interface Figures {
  /** As the calendar counts them. */
  nightsUsed: number
  /** Those that have passed, and tonight once it is used. */
  nightsPossible: number
  /** Dates with any record: those the means are taken over, as in the charts. */
  nightsWithData: number
  meanTime: number
  totalTime: number
  meanIntensity: number
  meanMovement: number
  /** Minutes after midnight. */
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

/** Works a report's figures out of `data`. */
export function makeReport(
  { subject, days, bedtimes, events, surveys }: ReportData,
  { language, period, timeZone, now }: Making,
): Report {
  const date = today(timeZone, now)
  const used = days.filter(({ uses }) => uses > 0)
  // A device's clock may be ahead of the service's: what it has recorded was possible.
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

/** Whether the night was there to be used: tonight counts only once it is. */
export const isPossible = ({ treatment_date, uses }: ReportDay, today: string) =>
  treatment_date < today || uses > 0

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

const wireDate = (text: string) => `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`

/** A Korean family name comes first. */
const fullName = ({ first_name, last_name }: { first_name: string; last_name: string }) =>
  /^\p{Script=Hangul}+$/u.test(last_name)
    ? `${last_name}${first_name}`
    : [first_name, last_name].filter(Boolean).join(' ')

/** In years. Both are `yyyy-mm-dd`, so that month and day compare as texts. */
const ageOn = (date: string, birthdate: string) =>
  Math.max(
    0,
    Number(date.slice(0, 4)) - Number(birthdate.slice(0, 4)) - (date.slice(5) < birthdate.slice(5) ? 1 : 0),
  )
