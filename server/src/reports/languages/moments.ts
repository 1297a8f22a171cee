import dayjs from 'dayjs'
import timezone from 'dayjs/plugin/timezone.js'
import utc from 'dayjs/plugin/utc.js'
import type { Words } from './words.ts'

dayjs.extend(utc)
dayjs.extend(timezone)

/** Formats a moment, in milliseconds since 1970 or as ISO 8601, on the clock of `timeZone`. */
export const momentText = (at: number | string, timeZone: string, words: Words): string =>
  dayjs(at).tz(timeZone).format(words.madeAtFormat)

/** The same with the time zone and its distance from UTC, for readers elsewhere. */
export const zonedMomentText = (at: number | string, timeZone: string, words: Words): string => {
  const offset = dayjs(at).tz(timeZone).format('Z').replace('-', '−')
  return `${momentText(at, timeZone, words)} (${timeZone}, UTC${offset})`
}
