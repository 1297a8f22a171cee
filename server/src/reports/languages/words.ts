import type { Change } from '../change.ts'
import type { NightGoal } from '../night-goals.ts'

/** All texts of a report in one language. `date` arguments are `yyyy-mm-dd`. */
export interface Words {
  /** The BCP 47 language tag, for screen readers. */
  tag: string
  title: string
  documentTitle: (name: string) => string
  birth: string
  born: (date: string, age: number) => string
  gender: Record<'M' | 'F' | 'N' | 'P', string>
  period: string
  days: (count: number) => string
  station: string
  device: string
  /** Names a device; its firmware may be unknown. */
  deviceWorn: (serial: string, firmware: number | null) => string
  /** The time in which a device was worn; the present one has no end. */
  since: (first: string, last: string | null) => string
  moreDevices: (count: number) => string
  noDevice: string
  records: string
  recordsFor: (nights: number, counted: number) => string
  lastUpload: (time: string) => string
  noUpload: string
  /** How the days of the period, and the two sums of nights, come about. */
  counting: {
    days: (nights: number, counted: number) => string
    unpaired: (nights: number, firstEvening: string) => string
    ahead: (nights: number) => string
    brief: (withData: number, used: number) => string
  }
  made: string
  /** The `dayjs` format of the time at which the report was made. */
  madeAtFormat: string
  /** The code of a report, and where it can be verified. */
  checkCode: (code: string, address: string) => string
  page: (page: number, pages: number) => string

  date: (date: string) => string
  range: (first: string, last: string) => string
  /** Formats a date for the axis of a chart. */
  shortDate: (date: string) => string
  dayAndWeekday: (date: string) => string
  shortMonth: (date: string) => string
  month: (date: string) => string
  weekdays: readonly [string, string, string, string, string, string, string]
  hoursAndMinutes: (hours: number, minutes: number) => string
  hours: (hours: number) => string

  glance: {
    title: string
    nightsUsed: string
    ofNights: (nights: number, counted: number) => string
    ofNightsBefore: (nights: number, counted: number, percent: number) => string
    share: (percent: number) => string
    nightsAtGoal: string
    longestGap: string
    gap: (nights: number) => string
    meanTime: string
    perNight: (nights: number) => string
    meanTimeOfAll: string
    medianTime: string
    totalTime: string
    usualStart: string
    meanIntensity: string
    meanMovement: string
    contactLosses: string
    lossNights: (nights: number, aNight: string) => string
    lossesANight: (losses: string) => string
    goal: string
    survey: string
    /** The first and the last score of a period. */
    fromTo: (first: number, last: number) => string
    otherScores: (attention: string, impulsivity: string) => string
    none: string
    verdict: Record<Change['verdict'], string>
    /** Names the value of the period before. */
    before: (value: string) => string
  }
  /** Explains what `before` refers to. */
  comparedWith: (days: number) => string
  notCompared: string
  /** What there is to read, and on which page. */
  contents: {
    notes: (count: {
      notes: number
      medication: number
      hospital: number
      page: number | undefined
    }) => string
    surveys: (surveys: number, page: number | undefined) => string
    none: string
  }
  nothingRecorded: string
  notBegun: string
  usage: {
    title: string
    axis: string
    mean: (time: string) => string
    goal: (time: string) => string
    summary: string
  }
  intensity: { title: string; axis: string; mean: (value: string) => string; summary: string }
  movement: { title: string; axis: string; mean: (value: string) => string; summary: string }
  /** Added to the title of a chart whose values are means of weeks. */
  byWeek: (title: string) => string
  strips: {
    title: string
    continued: string
    explained: string
    intensity: string
    unknown: string
    loss: string
    /** The last log of a use has not arrived: it goes on, or nothing was heard of it for long. */
    running: string
    cutShort: string
    note: string
    none: string
  }
  sleep: {
    title: string
    temperature: string
    humidity: string
    brightness: string
    noise: string
    sensorValue: string
    note: (station: string) => string
  }
  legend: { noRecord: string; contactLoss: string; contactLosses: string; noReading: string }
  calendar: {
    title: string
    used: string
    noRecord: string
    brief: string
    loss: string
    note: string
    explained: string
  }
  notes: {
    title: string
    medication: string
    dose: (dose: number) => string
    /** States how many entries of a list are omitted. */
    more: (count: number) => string
    hospital: string
    memo: string
    continued: string
    explained: string
    /** Names a night by the dates of its evening and its morning. */
    night: (evening: string, morning: string) => string
  }
  surveys: {
    title: string
    date: string
    attention: string
    impulsivity: string
    disorder: string
    explained: string
  }
  table: {
    title: string
    explained: string
    date: string
    uses: string
    start: string
    time: readonly [string, string]
    intensity: string
    movement: string
    losses: readonly [string, string]
    temperature: readonly [string, string]
    humidity: readonly [string, string]
    brightness: string
    noise: string
  }
  weeks: {
    title: string
    explained: string
    dates: (first: string, last: string) => string
    week: string
    used: string | readonly [string, string]
    atGoal: readonly [string, string]
  }
  reading: {
    title: string
    /** `goals` are all goals of the period. */
    lines: (goals: string) => readonly string[]
    goal: (goal: string, setBy: NightGoal['setBy']) => string
    goalFrom: (evening: string, goal: string) => string
    /** States how many earlier goals are omitted. */
    moreGoals: (count: number) => string
  }
  /** Explains, on the page where it happens, that `sign` replaces a character that no font here can show. */
  replaced: (sign: string) => string
}

/** Splits `yyyy-mm-dd` into numbers. */
export function dateParts(date: string): { year: number; month: number; day: number } {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
  return { year, month, day }
}
