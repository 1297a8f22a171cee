import { fullName } from '../devlogs/child-name.ts'
import type { DateRange } from '../time/chart-window.ts'
import { today, wallClock } from '../time/wall-clock.ts'
import { toCountedDay, computeAdherenceFigures } from './adherence-figures.ts'
import type { CountedDay, AdherenceFigures } from './adherence-figures.ts'
import { circularMedian } from './circular-median.ts'
import type { LanguageCode } from './languages/index.ts'
import { goalsOf } from './night-goals.ts'
import type { NightGoal } from './night-goals.ts'
import type { ReportData, ReportSurvey, ReportUse, WornDevice } from './report-data.ts'
import { shortenNotes } from './shorten-notes.ts'
import type { ReportNote } from './shorten-notes.ts'

/** The content of a report, ready to be drawn: plain values that can be sent to a worker thread. */
export interface Report {
  language: LanguageCode
  /** Milliseconds since 1970, shown in `timeZone`, as `lastUploadAt` is. */
  madeAt: number
  timeZone: string
  /** Where the report can be verified. */
  verifyAddress: string
  child: { name: string; birthdate: string; age: number; gender: 'M' | 'F' | 'N' | 'P' }
  /** The devices worn in the period, or else the present one; the latest first. */
  devices: WornDevice[]
  station: string
  lastUploadAt: number | null
  /** The evening from which nights count; null before the first pairing or record. */
  firstEvening: string | null
  period: DateRange
  /** The service's date when the report was made; tonight's use may still come. */
  today: string
  /** The dates of the period up to today, or up to a later date if a device has already recorded on it. */
  nights: CountedDay[]
  uses: ReportUse[]
  /** The goals of the nights that count, or else of the whole period, ascending. */
  goals: readonly NightGoal[]
  figures: AdherenceFigures
  /** The usual bedtime in minutes after midnight. */
  usualStart: number | undefined
  /** The figures of as many days before the period; undefined if none of them counts. */
  before: AdherenceFigures | undefined
  /** Null if the caller may not read notes. */
  events: ReportNote[] | null
  surveys: ReportSurvey[]
}

export interface ReportOptions {
  language: LanguageCode
  period: DateRange
  timeZone: string
  verifyAddress: string
  now: Date
}

/** Computes a report's figures from its data. */
export function makeReport(
  { subject, devices, days, uses, bedtimes, events, surveys }: ReportData,
  { language, period, timeZone, verifyAddress, now }: ReportOptions,
): Report {
  const date = today(timeZone, now)
  const { begun_on: begunOn, first_evening: firstEvening } = subject
  const known = days.map((day) => toCountedDay(day, { today: date, begunOn, firstEvening }))
  // A device's clock may be ahead of the service's, so a date to come can have a record.
  const end = known.findLast((day) => day.uses > 0 || day.treatment_date <= date)?.treatment_date ?? ''
  const ofPeriod = known.filter((day) => day.treatment_date >= period.first)
  const nights = ofPeriod.filter((day) => day.treatment_date <= end)
  const counted = nights.filter(({ nightCounts }) => nightCounts)
  const before = computeAdherenceFigures(known.filter((day) => day.treatment_date < period.first))
  const worn = devices.filter(({ since }) => since <= period.last)
  return {
    language,
    madeAt: now.getTime(),
    timeZone,
    verifyAddress,
    child: {
      name: fullName(subject),
      birthdate: wireDate(subject.birthdate),
      age: ageOn(date, wireDate(subject.birthdate)),
      gender: subject.gender,
    },
    devices: worn.length > 0 ? worn : devices.slice(0, 1),
    station: subject.serial_code,
    lastUploadAt: subject.last_upload_at,
    firstEvening,
    period,
    today: date,
    nights,
    uses: uses.map(({ is_temp, ...use }) => ({
      ...use,
      state: !is_temp ? 'ended' : isSilent(use, wallClock(timeZone, now)) ? 'cut short' : 'running',
    })),
    goals: goalsOf(counted.length > 0 ? counted : ofPeriod),
    figures: computeAdherenceFigures(nights),
    usualStart: circularMedian(bedtimes),
    before: before.nightsCounted > 0 ? before : undefined,
    events: events && shortenNotes(events),
    surveys,
  }
}

/** A device tells of a running use every few minutes: after 12 hours of silence it has ended. */
const LONGEST_SILENCE_MS = 12 * 3_600_000

/** Whether nothing was heard of a use for 12 hours. `clock` is the service's wall clock, as `yyyy-mm-dd hh:mm:ss`. */
const isSilent = ({ start, treatment_time }: Pick<ReportUse, 'start' | 'treatment_time'>, clock: string) =>
  Date.parse(`${clock}Z`) - Date.parse(`${start}Z`) - 1000 * treatment_time > LONGEST_SILENCE_MS

const wireDate = (text: string) => `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`

/** The age in years. Both dates are `yyyy-mm-dd`, so month and day can be compared as texts. */
const ageOn = (date: string, birthdate: string) =>
  Math.max(
    0,
    Number(date.slice(0, 4)) - Number(birthdate.slice(0, 4)) - (date.slice(5) < birthdate.slice(5) ? 1 : 0),
  )
