import { addDays, monthOf, noon } from '../time/dates'
import type { CalendarDate } from '../time/dates'

export type Language = 'en' | 'ko'

/** Settings of the device that do not depend on the language. */
export interface Customs {
  isFahrenheit: boolean
  is24Hour: boolean
}

/** Drops the seconds beyond whole minutes, like the service's reports and spreadsheets do. */
export const toWholeMinutes = (seconds: number) => Math.floor(seconds / 60)

/** Formats figures and dates in a language. */
export function formats(language: Language, { isFahrenheit, is24Hour }: Customs) {
  const day = (date: CalendarDate, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }).format(noon(date))
  const number = (value: number, digits = 0) =>
    new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value)
  /** The time of day of a date-time without zone, as the device recorded it. */
  const clock = (dateTime: string) =>
    is24Hour
      ? dateTime.slice(11, 16)
      : new Intl.DateTimeFormat(language, {
          hour: 'numeric',
          minute: '2-digit',
          hour12: true,
          timeZone: 'UTC',
        }).format(new Date(`${dateTime.slice(0, 16)}:00Z`))
  const period = (first: CalendarDate, last: CalendarDate) => {
    const isSameMonth = monthOf(first) === monthOf(last)
    const end = day(last, { day: 'numeric', ...(isSameMonth ? {} : { month: 'short' }) })
    return `${day(first, { month: 'short', day: 'numeric' })} – ${end}`
  }
  const dayAndMonth = (date: CalendarDate) => day(date, { month: 'short', day: 'numeric' })
  return {
    number,
    clock,
    /** The day and time of day of a date-time without zone. */
    moment: (dateTime: string) =>
      `${dayAndMonth(dateTime.slice(0, 10))}${language === 'ko' ? '' : ','} ${clock(dateTime)}`,
    clockRange: (start: string, end: string) => `${clock(start)} – ${clock(end)}`,
    /** A full hour below a picture. */
    hour: (dateTime: string) =>
      is24Hour
        ? dateTime.slice(11, 16)
        : language === 'ko' && dateTime.slice(11, 13) === '00'
          ? '자정'
          : language === 'ko' && dateTime.slice(11, 13) === '12'
            ? '정오'
            : new Intl.DateTimeFormat(language, { hour: 'numeric', hour12: true, timeZone: 'UTC' }).format(
                new Date(`${dateTime.slice(0, 16)}:00Z`),
              ),
    /** Seconds as whole minutes, or as hours and minutes. */
    duration: (seconds: number) => {
      const minutes = toWholeMinutes(seconds)
      const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
      if (language === 'ko')
        return hours === 0 ? `${rest}분` : rest === 0 ? `${hours}시간` : `${hours}시간 ${rest}분`
      return hours === 0 ? `${rest} min` : rest === 0 ? `${hours} h` : `${hours} h ${rest} min`
    },
    /** Seconds beside a bar: 6:15. */
    shortDuration: (seconds: number) => {
      const minutes = toWholeMinutes(seconds)
      return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`
    },
    /** A time of day, `hh:mm`. */
    timeOfDay: (time: string) => clock(`2026-03-01T${time}:00`),
    /** Seconds on an axis in hours or minutes. */
    axisDuration: (seconds: number, unit: number) =>
      `${number(seconds / unit, 1)}${language === 'ko' ? (unit === 3_600 ? '시간' : '분') : unit === 3_600 ? ' h' : ' min'}`,
    degreeUnit: isFahrenheit ? '°F' : '°C',
    /** A temperature in the unit of the device. Base stations measure in Celsius. */
    degrees: (celsius: number) => (isFahrenheit ? celsius * 1.8 + 32 : celsius),
    date: (date: CalendarDate) => day(date, { year: 'numeric', month: 'short', day: 'numeric' }),
    dayAndMonth,
    fullDay: (date: CalendarDate) => day(date, { weekday: 'long', month: 'long', day: 'numeric' }),
    /** From one date to another, less than a year later. */
    period,
    /** The evening and the morning of a night. */
    night: (date: CalendarDate) => period(date, addDays(date, 1)),
    /** A date below a chart. */
    shortDate: (date: CalendarDate) => day(date, { month: 'numeric', day: 'numeric' }),
    month: (year: number, month: number) =>
      day(`${year}-${String(month).padStart(2, '0')}-01`, { year: 'numeric', month: 'long' }),
    weekday: (date: CalendarDate) => day(date, { weekday: 'narrow' }),
    size: (bytes: number) => `${number(bytes / 1024)} kB`,
    /** A share of 0 to 1. */
    percent: (part: number) =>
      new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 }).format(part),
  }
}

export type Formats = ReturnType<typeof formats>
