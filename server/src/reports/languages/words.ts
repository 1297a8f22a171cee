/** All texts of a report in one language. `date` arguments are `yyyy-mm-dd`. */
export interface Words {
  /** The BCP 47 language tag, for screen readers. */
  tag: string
  title: string
  documentTitle: (name: string) => string
  born: (date: string, age: number) => string
  gender: Record<'M' | 'F' | 'N' | 'P', string>
  period: string
  nights: (count: number) => string
  station: string
  made: string
  /** The `dayjs` format of the time at which the report was made. */
  madeAtFormat: string
  page: (page: number, pages: number) => string

  date: (date: string) => string
  range: (first: string, last: string) => string
  /** Formats a date for the axis of a chart. */
  shortDate: (date: string) => string
  shortMonth: (date: string) => string
  month: (date: string) => string
  weekdays: readonly [string, string, string, string, string, string, string]
  hoursAndMinutes: (hours: number, minutes: number) => string

  glance: {
    title: string
    nightsUsed: string
    ofPossible: (used: number, possible: number) => string
    share: (percent: number) => string
    meanTime: string
    perNight: (nights: number) => string
    totalTime: string
    usualStart: string
    usualStartNote: string
    meanIntensity: string
    contactFaults: string
    faultNights: (nights: number) => string
    none: string
  }
  nothingRecorded: string
  notBegun: string
  usage: { title: string; axis: string; mean: (time: string) => string; summary: string }
  intensity: { title: string; axis: string; mean: (value: string) => string; summary: string }
  movement: { title: string; axis: string; mean: (value: string) => string; summary: string }
  sleep: {
    title: string
    temperature: string
    humidity: string
    brightness: string
    noise: string
    sensorValue: string
    note: (station: string) => string
    none: string
  }
  legend: { noRecord: string; contactFault: string; noReading: string }
  calendar: { title: string; used: string; unused: string; fault: string; note: string; explained: string }
  notes: {
    title: string
    medication: string
    dose: (dose: number) => string
    /** States how many entries of a list are omitted. */
    more: (count: number) => string
    hospital: string
    memo: string
    continued: string
    none: string
  }
  surveys: {
    title: string
    date: string
    attention: string
    impulsivity: string
    disorder: string
    explained: string
    none: string
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
    faults: readonly [string, string]
    temperature: readonly [string, string]
    humidity: readonly [string, string]
    brightness: string
    noise: string
  }
  reading: { title: string; lines: readonly string[] }
  /** Explains that `sign` replaces a character that no font here can show. */
  replaced: (sign: string) => string
}

/** Splits `yyyy-mm-dd` into numbers. */
export function parts(date: string): { year: number; month: number; day: number } {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
  return { year, month, day }
}
