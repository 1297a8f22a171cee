import { weekday } from '../../time/wall-clock.ts'
import { dateParts } from './words.ts'
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

const monthName = (text: string) => months[dateParts(text).month - 1] ?? ''

const date = (text: string) => `${dateParts(text).day} ${monthName(text)} ${dateParts(text).year}`

const shortDate = (text: string) => `${dateParts(text).day} ${monthName(text).slice(0, 3)}`

const plural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

/** Whose a goal is. */
const setters = {
  service: 'set by the service',
  parent: 'planned by the parents',
  clinic: 'planned by the clinic',
}

export const en: Words = {
  tag: 'en',
  title: 'Usage report',
  documentTitle: (name) => `Usage report: ${name}`,
  birth: 'Date of birth',
  born: (birthdate, age) => `${date(birthdate)} (${plural(age, 'year', 'years')})`,
  gender: { M: 'male', F: 'female', N: 'non-binary', P: '' },
  period: 'Period',
  days: (count) => plural(count, 'day', 'days'),
  station: 'Base station',
  device: 'Device',
  deviceWorn: (serial, firmware) => (firmware === null ? serial : `${serial}, firmware ${firmware}`),
  since: (first, last) => (last === null ? `since ${date(first)}` : `${date(first)} – ${date(last)}`),
  moreDevices: (count) => `and ${plural(count, 'earlier change', 'earlier changes')}`,
  noDevice: 'none',
  records: 'Records',
  recordsFor: (nights, counted) => `for ${nights} of ${plural(counted, 'night', 'nights')}`,
  lastUpload: (time) => `last upload ${time}`,
  noUpload: 'no upload yet',
  counting: {
    days: (nights, counted) => `${counted} of the ${plural(nights, 'night', 'nights')} count.`,
    unpaired: (nights, firstEvening) =>
      `${plural(nights, 'night lies', 'nights lie')} before the device was paired or had a record (${date(firstEvening)}).`,
    ahead: (nights) => `${plural(nights, 'night is', 'nights are')} not over yet.`,
    brief: (withData, used) =>
      `${plural(withData, 'night has', 'nights have')} a record; ${used} of them ${used === 1 ? 'counts' : 'count'} as used, the ${withData - used === 1 ? 'other' : `other ${withData - used}`} with less than 2 minutes not.`,
  },
  made: 'Created',
  madeAtFormat: 'D MMMM YYYY, HH:mm',
  checkCode: (code, address) => `Check code ${code}. Check at ${address}`,
  page: (page, pages) => `Page ${page} of ${pages}`,

  date: (text) => `${weekdays[weekday(text)]}, ${date(text)}`,
  range: (first, last) => `${date(first)} – ${date(last)}`,
  shortDate,
  dayAndWeekday: (text) => `${weekdays[weekday(text)]} ${shortDate(text)}`,
  shortMonth: (text) => monthName(text).slice(0, 3),
  month: (text) => `${monthName(text)} ${dateParts(text).year}`,
  weekdays,
  hoursAndMinutes: (hours, minutes) => `${hours.toLocaleString('en-US')} h ${minutes} min`,
  hours: (hours) => `${hours} h`,

  glance: {
    title: 'At a glance',
    nightsUsed: 'Nights used',
    ofNights: (nights, counted) => `${nights} of ${counted}`,
    ofNightsBefore: (nights, counted, percent) => `${nights} of ${counted} (${percent}%)`,
    share: (percent) => `${percent}% of the nights that count`,
    nightsAtGoal: 'Nights that reach the goal',
    longestGap: 'Longest gap',
    gap: (nights) => plural(nights, 'night', 'nights'),
    meanTime: 'Mean usage time',
    perNight: (nights) => `over ${plural(nights, 'night', 'nights')} used`,
    meanTimeOfAll: 'Mean of all nights',
    medianTime: 'Median usage time',
    totalTime: 'Total usage time',
    usualStart: 'Usual start',
    meanIntensity: 'Mean intensity',
    meanMovement: 'Mean movement',
    contactLosses: 'Contact losses',
    lossNights: (nights, aNight) => `on ${plural(nights, 'night', 'nights')}, ${aNight} per night used`,
    lossesANight: (losses) => `${losses} per night used`,
    goal: 'Goal of a night',
    survey: 'Symptoms, first to last survey',
    fromTo: (first, last) => `${first} → ${last}`,
    otherScores: (attention, impulsivity) => `attention ${attention}, impulsivity ${impulsivity}`,
    verdict: { better: 'better', worse: 'worse', same: 'no change' },
    none: '–',
    before: (value) => `before: ${value}`,
  },
  comparedWith: (days) =>
    `“Before” names the value of the ${plural(days, 'night', 'nights')} before this period. “Better” and “worse” are said where four fifths of both count.`,
  contents: {
    notes: ({ notes, medication, hospital, page }) =>
      notes === 0
        ? 'No notes.'
        : `${[
            plural(notes, 'note', 'notes'),
            ...(medication > 0 ? [plural(medication, 'medication', 'medications')] : []),
            ...(hospital > 0 ? [plural(hospital, 'hospital visit', 'hospital visits')] : []),
          ].join(', ')}: page ${page}.`,
    surveys: (surveys, page) =>
      surveys === 0 ? 'No surveys.' : `${plural(surveys, 'survey', 'surveys')}: page ${page}.`,
    none: 'No notes, no surveys.',
  },
  notCompared: 'No night before this period counts, so there is nothing to compare it with.',
  nothingRecorded: 'No use was recorded in this period.',
  notBegun: 'This period has not begun yet.',
  usage: {
    title: 'Usage time by date',
    axis: 'hours',
    mean: (time) => `mean of the dates ${time}`,
    goal: (time) => `goal of a night ${time}`,
    summary: 'Bar chart of the usage time by date',
  },
  intensity: {
    title: 'Intensity',
    axis: 'mean of the last intensities of a date (level, no unit)',
    mean: (value) => `mean ${value}`,
    summary: 'Dot chart of the intensity by date',
  },
  movement: {
    title: 'Movement',
    axis: 'sum of a date (no unit)',
    mean: (value) => `mean ${value}`,
    summary: 'Bar chart of the movement by date',
  },
  byWeek: (title) => `${title}, mean of each week`,
  strips: {
    title: 'Nights from evening to morning',
    continued: 'continued',
    explained:
      'Each strip is one night, by the clock of the device. It shows the uses that began between noon and the next noon.',
    intensity: 'intensity',
    unknown: 'intensity not recorded',
    loss: 'ended by a contact loss',
    running: 'in use when this report was made',
    cutShort: 'ended, its last log did not arrive',
    note: 'note',
    none: 'no record',
  },
  sleep: {
    title: 'Sleep environment',
    temperature: 'Temperature (°C)',
    humidity: 'Humidity (%)',
    brightness: 'Brightness',
    noise: 'Noise',
    sensorValue: 'sensor value',
    note: (station) => `Means per date of what base station ${station} measured.`,
  },
  legend: {
    noRecord: 'no record',
    contactLoss: 'ended by a contact loss',
    contactLosses: 'contact losses of the week',
    noReading: 'no reading',
  },
  calendar: {
    title: 'Adherence calendar',
    used: 'used',
    noRecord: 'no record',
    brief: 'less than 2 minutes',
    loss: 'contact loss',
    note: 'note',
    explained:
      'A day counts as used with a use of 2 minutes or more, or one still in progress. Grey days do not count: outside the period, before the pairing, or not over yet.',
  },
  notes: {
    title: 'Medication, hospital visits and memos',
    medication: 'Medication',
    dose: (dose) => `dose ${dose}`,
    more: (count) => `and ${count} more`,
    hospital: 'Hospital',
    memo: 'Memo',
    continued: 'continued',
    explained:
      'Below its date stands the night that a note is about, with its usage: the night before, if it was written before noon.',
    night: (evening, morning) => `night ${evening} – ${morning}`,
  },
  surveys: {
    title: 'Survey scores',
    date: 'Date',
    attention: 'Attention',
    impulsivity: 'Impulsivity',
    disorder: 'Symptoms',
    explained: 'The scale of the scores is that of the questionnaire. A lower score of symptoms is better.',
  },
  table: {
    title: 'Records by date',
    explained: 'A dash means that there is no record or reading. Dates with neither are left out.',
    date: 'Date',
    uses: 'Uses',
    start: 'Start',
    time: ['Usage', 'h:mm'],
    intensity: 'Intensity',
    movement: 'Movement',
    losses: ['Contact', 'losses'],
    temperature: ['Temp.', '°C'],
    humidity: ['Hum.', '%'],
    brightness: 'Light',
    noise: 'Noise',
  },
  weeks: {
    title: 'Records by week',
    explained:
      'Weeks run from Sunday to Saturday. Used, goal, usage and contact losses are of nights, the other values of dates. Usage is the mean of the used nights, a value that of the dates with records; a dash means that there is none.',
    dates: (first, last) => `${shortDate(first)} – ${shortDate(last)} ${dateParts(last).year}`,
    week: 'Week',
    used: 'Used',
    atGoal: ['Goal', 'reached'],
  },
  reading: {
    title: 'How to read this report',
    lines: (goals) => [
      "A night runs from noon to noon on the device's clock and has the date of its evening. It is used with a use of 2 minutes or more, or one in progress; these uses are summed.",
      'All figures above are of nights, except intensity and movement. These two, bars, charts, calendar and the table of dates go by the date on which a use began: a use after midnight belongs to the new date. The mean of all nights takes a night without a record as 0.',
      'A night or date without a record (a grey mark under an axis) does not mean zero: the device may have been off, or its log has not arrived. Tonight does not count yet.',
      'Intensity is the level at which the device worked, movement how much the child moved, as it sums it. Neither has a unit: compare them within one child.',
      `Goal of a night: ${goals}.`,
    ],
    goal: (goal, setBy) => `${goal} (${setters[setBy]})`,
    goalFrom: (evening, goal) => `from ${date(evening)} ${goal}`,
    moreGoals: (count) => `${plural(count, 'earlier goal', 'earlier goals')} not listed`,
  },
  replaced: (sign) =>
    `${sign} stands for a character on this page that the fonts of this report cannot show.`,
}
