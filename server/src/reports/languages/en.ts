import { weekday } from '../../time/wall-clock.ts'
import { parts } from './words.ts'
import type { Words } from './words.ts'

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const

const monthName = (text: string) => months[parts(text).month - 1] ?? ''

const date = (text: string) => `${parts(text).day} ${monthName(text)} ${parts(text).year}`

const plural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

export const en: Words = {
  tag: 'en',
  title: 'Usage report',
  documentTitle: (name) => `Usage report: ${name}`,
  born: (birthdate, age) => `born ${date(birthdate)} (${plural(age, 'year', 'years')})`,
  gender: { M: 'male', F: 'female', N: 'non-binary', P: '' },
  period: 'Period',
  nights: (count) => plural(count, 'day', 'days'),
  station: 'Base station',
  made: 'Made',
  madeAtFormat: 'D MMMM YYYY, HH:mm',
  page: (page, pages) => `Page ${page} of ${pages}`,

  date: (text) => `${weekdays[weekday(text)]}, ${date(text)}`,
  range: (first, last) => `${date(first)} – ${date(last)}`,
  shortDate: (text) => `${parts(text).day} ${monthName(text).slice(0, 3)}`,
  shortMonth: (text) => monthName(text).slice(0, 3),
  month: (text) => `${monthName(text)} ${parts(text).year}`,
  weekdays,
  hoursAndMinutes: (hours, minutes) => `${hours} h ${minutes} min`,

  glance: {
    title: 'At a glance',
    nightsUsed: 'Nights used',
    ofPossible: (used, possible) => `${used} of ${possible}`,
    share: (percent) => `${percent}% of the nights possible`,
    meanTime: 'Mean usage time',
    perNight: (nights) => `over ${plural(nights, 'night', 'nights')} with records`,
    totalTime: 'Total usage time',
    usualStart: 'Usual start',
    usualStartNote: 'median of the bedtimes',
    meanIntensity: 'Mean intensity',
    contactFaults: 'Contact faults',
    faultNights: (nights) => `on ${plural(nights, 'night', 'nights')}`,
    none: '–',
  },
  nothingRecorded: 'No use was recorded in this period.',
  notBegun: 'This period has not begun yet.',
  usage: {
    title: 'Usage time per night',
    axis: 'hours',
    mean: (time) => `mean ${time}`,
    summary: 'Bar chart of the usage time per night',
  },
  intensity: {
    title: 'Intensity',
    axis: 'mean of the last intensities of a night (level)',
    mean: (value) => `mean ${value}`,
    summary: 'Dot chart of the intensity per night',
  },
  movement: {
    title: 'Movement',
    axis: 'sum per night (count)',
    mean: (value) => `mean ${value}`,
    summary: 'Bar chart of the movement per night',
  },
  sleep: {
    title: 'Sleep environment',
    temperature: 'Temperature (°C)',
    humidity: 'Humidity (%)',
    brightness: 'Brightness',
    noise: 'Noise',
    sensorValue: 'sensor value',
    note: (station) => `Means per date of what base station ${station} measured.`,
    none: 'Nothing was measured in this period.',
  },
  legend: { noRecord: 'no record', contactFault: 'ended by a contact fault', noReading: 'no reading' },
  calendar: {
    title: 'Adherence calendar',
    used: 'used',
    unused: 'not used',
    fault: 'contact fault',
    note: 'note',
    explained:
      'A day counts as used with a use of 2 minutes or more, or one still in progress. Grey days lie outside the period or ahead.',
  },
  notes: {
    title: 'Medication, hospital visits and memos',
    medication: 'Medication',
    dose: (dose) => `dose ${dose}`,
    more: (count) => `and ${count} more`,
    hospital: 'Hospital',
    memo: 'Memo',
    continued: 'continued',
    none: 'There are no notes in this period.',
  },
  surveys: {
    title: 'Survey scores',
    date: 'Date',
    attention: 'Attention',
    impulsivity: 'Impulsivity',
    disorder: 'Disorder',
    explained: 'The scale of the scores is that of the questionnaire.',
    none: 'There are no surveys in this period.',
  },
  table: {
    title: 'All nights',
    explained: 'A dash means that there is no record or reading.',
    date: 'Date',
    uses: 'Uses',
    start: 'Start',
    time: ['Usage', 'h:mm'],
    intensity: 'Intensity',
    movement: 'Movement',
    faults: ['Contact', 'faults'],
    temperature: ['Temp.', '°C'],
    humidity: ['Hum.', '%'],
    brightness: 'Light',
    noise: 'Noise',
  },
  reading: {
    title: 'How to read this report',
    lines: [
      "A night goes by the date on the device's clock when a use began. A use that began after midnight belongs to the new date.",
      'Of several uses on one date, usage time and movement are summed and intensities averaged. Means are taken over dates with records alone.',
      'A grey mark under an axis means that there is no record of that date: the device was not used, or its log has not arrived. It does not mean zero.',
    ],
  },
  replaced: (sign) =>
    `${sign} stands for a character, such as an emoji, that the fonts of this report cannot show.`,
}
