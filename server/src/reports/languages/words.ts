/** Everything a report says in one language. `date` arguments are `yyyy-mm-dd`. */
export interface Words {
  /** BCP 47, for readers of the document. */
  tag: string
  title: string
  documentTitle: (name: string) => string
  born: (date: string, age: number) => string
  gender: Record<'M' | 'F' | 'N' | 'P', string>
  period: string
  nights: (count: number) => string
  station: string
  made: string
  /** Of a moment, as `dayjs` takes it. */
  madeAtFormat: string
  page: (page: number, pages: number) => string

  date: (date: string) => string
  range: (first: string, last: string) => string
  /** For the axis of a chart. */
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
    /** How many entries of a list are left out. */
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
  /** Says what `sign` stands for: a character no font here can show. */
  replaced: (sign: string) => string
}

/** The parts of `yyyy-mm-dd` as numbers. */
export function parts(date: string): { year: number; month: number; day: number } {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
  return { year, month, day }
}
