import { dateOf, noon, today } from '../time/dates'
import type { CalendarDate } from '../time/dates'

export type Language = 'en' | 'ko'

/** The year where it must be said: a date without one is of this year. */
const yearOf = (date: CalendarDate): Intl.DateTimeFormatOptions =>
  date.slice(0, 4) === today().slice(0, 4) ? {} : { year: 'numeric' }

/** Formats figures and dates in a language. Dates and times of devices have no zone; moments are shown in that of this computer. */
export function formats(language: Language) {
  const day = (date: CalendarDate, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }).format(noon(date))
  const moment = (at: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, options).format(new Date(at))
  return {
    date: (date: CalendarDate) => day(date, { year: 'numeric', month: 'short', day: 'numeric' }),
    shortDate: (date: CalendarDate) => day(date, { ...yearOf(date), month: 'short', day: 'numeric' }),
    dayAndMonth: (date: CalendarDate) => day(date, { month: 'short', day: 'numeric' }),
    evening: (date: CalendarDate) => day(date, { weekday: 'short', month: 'short', day: 'numeric' }),
    month: (month: string) => day(`${month}-01`, { year: 'numeric', month: 'long' }),
    weekday: (date: CalendarDate) => day(date, { weekday: 'short' }),
    /** The date of a moment, ISO 8601. */
    dateOf: (at: string) => moment(at, { year: 'numeric', month: 'short', day: 'numeric' }),
    shortDateOf: (at: string) =>
      moment(at, { ...yearOf(dateOf(new Date(at))), month: 'short', day: 'numeric' }),
    /** Date and time of a moment. */
    moment: (at: string) =>
      moment(at, {
        ...yearOf(dateOf(new Date(at))),
        month: 'short',
        day: 'numeric',
        hour: 'numeric',
        minute: '2-digit',
      }),
    /** The time of day on a device. */
    clock: (dateTime: string) => dateTime.slice(11, 16),
    duration: (minutes: number) => {
      const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
      if (language === 'ko')
        return hours === 0 ? `${rest}분` : rest === 0 ? `${hours}시간` : `${hours}시간 ${rest}분`
      return hours === 0 ? `${rest} min` : rest === 0 ? `${hours} h` : `${hours} h ${rest} min`
    },
  }
}
