import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { calendarPeriod, periodErrors } from './calendar-period.ts'
import { chartWindow } from './chart-window.ts'
import { addDays, isCalendarDate, today } from './wall-clock.ts'

/*
 * A calendar counted day by day from 1 January of the year 1, which was a Monday. It shares no code with the code under
 * test.
 */

const isLeap = (year: number) => new Date(Date.UTC(2000 + (year % 400), 1, 29)).getUTCMonth() === 1
const monthLengths = (year: number) => [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const pad = (value: number, digits: number) => String(value).padStart(digits, '0')
const SUNDAY = 0

interface Day {
  date: string
  month: number
  weekday: number
}

const firstWeekdays = [SUNDAY, 1]
for (let year = 1; year < 9999; year++) {
  firstWeekdays.push(((firstWeekdays[year] ?? Number.NaN) + (isLeap(year) ? 366 : 365)) % 7)
}

function daysOf(year: number): Day[] {
  let weekday = firstWeekdays[year] ?? Number.NaN
  return monthLengths(year).flatMap((length, index) =>
    Array.from({ length }, (_, day) => {
      const counted = {
        date: `${pad(year, 4)}-${pad(index + 1, 2)}-${pad(day + 1, 2)}`,
        month: index + 1,
        weekday,
      }
      weekday = (weekday + 1) % 7
      return counted
    }),
  )
}

/** The days of a year and of its neighbours within the years 1 to 9999. */
const daysAround = (year: number) =>
  [year - 1, year, year + 1].filter((each) => each >= 1 && each <= 9999).flatMap(daysOf)

/**
 * The weeks of a year as lists of all their dates; only the weeks at the start of year 1 and end of 9999 are shorter.
 */
function weeksOf(year: number): string[][] {
  const weeks: string[][] = [[]]
  for (const { date, weekday } of daysAround(year)) {
    if (weekday === SUNDAY) weeks.push([])
    weeks.at(-1)?.push(date)
  }
  return weeks.filter((week) => week.some((date) => date.startsWith(pad(year, 4))))
}

const edges = [1, 2, 4, 100, 400, 1582, 1752, 1900, 1999, 2000, 2028, 2100, 9998, 9999]
const anyYear = fc.oneof(fc.integer({ min: 1, max: 9999 }), fc.constantFrom(...edges))
const anyDay = anyYear.chain((year) => fc.constantFrom(...daysOf(year).map(({ date }) => date)))
const TODAY = '2026-11-20'
const ends = (days: string[]) => ({ first: days[0], last: days.at(-1) })
const period = (select_mode: number, year: number, select_data: number, on = TODAY) =>
  calendarPeriod({ select_mode, year, select_data }, on)

describe('the calendar', () => {
  test('weeks run Sunday to Saturday, week 1 holds 1 January, and numbers a year does not have are no week', () => {
    fc.assert(
      fc.property(anyYear, (year) => {
        const weeks = weeksOf(year)
        for (let number = 1; number <= 54; number++) {
          const days = weeks[number - 1]
          expect(period(0, year, number)).toEqual(days && ends(days))
        }
      }),
    )
  })

  test('a leap year that starts on a Saturday has 54 weeks, and no other year has', () => {
    const with54: number[] = []
    for (let year = 1; year <= 9999; year++) {
      expect(period(0, year, 53)).toBeDefined()
      if (period(0, year, 54)) with54.push(year)
    }
    expect(with54).toEqual(
      Array.from({ length: 9999 }, (_, index) => index + 1).filter(
        (year) => isLeap(year) && firstWeekdays[year] === 6,
      ),
    )
    expect(with54).toContain(2028)
  })

  test('a week that crosses the end of a year belongs whole to both years', () => {
    const week = { first: '2025-12-28', last: '2026-01-03' }
    expect([period(0, 2025, 53), period(0, 2026, 1)]).toEqual([week, week])
    expect([period(0, 2028, 1), period(0, 2028, 54)]).toEqual([
      { first: '2027-12-26', last: '2028-01-01' },
      { first: '2028-12-31', last: '2029-01-06' },
    ])
  })

  test('months, quarters and years have all their days', () => {
    fc.assert(
      fc.property(anyYear, (year) => {
        const days = daysOf(year)
        const within = (first: number, last: number) =>
          ends(days.filter(({ month }) => month >= first && month <= last).map(({ date }) => date))
        for (let month = 1; month <= 12; month++) expect(period(1, year, month)).toEqual(within(month, month))
        for (let quarter = 1; quarter <= 4; quarter++) {
          expect(period(2, year, quarter)).toEqual(within(3 * quarter - 2, 3 * quarter))
        }
        expect(period(3, year, 0)).toEqual(within(1, 12))
      }),
    )
  })

  test('without year and number, the period is the one that holds today', () => {
    fc.assert(
      fc.property(anyDay, fc.integer({ min: 0, max: 3 }), (day, mode) => {
        const { first = '', last = '' } = period(mode, 0, 0, day) ?? {}
        expect(first <= day && day <= last).toBe(true)
      }),
    )
  })

  test('without number, another year has the period of the number that is current', () => {
    fc.assert(
      fc.property(anyDay, anyYear, (day, year) => {
        const number = weeksOf(Number(day.slice(0, 4))).findIndex((week) => week.includes(day)) + 1
        expect(period(0, year, 0, day)).toEqual(period(0, year, number))
        const month = Number(day.slice(5, 7))
        expect(period(1, year, 0, day)).toEqual(period(1, year, month))
        expect(period(2, year, 0, day)).toEqual(
          period(2, year, [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4][month - 1] ?? 0),
        )
      }),
    )
  })

  test.each([
    [4, 2026, 1, 0],
    [-1, 2026, 1, 0],
    [4, -1, 99, 0],
    [0, 2026, 55, 1],
    [0, 2026, -1, 1],
    [1, 2026, 13, 2],
    [1, 2026, -1, 2],
    [2, 2026, 5, 3],
    [2, 2026, -1, 3],
    [2, 10_000, 5, 3],
    [0, 10_000, 54, 4],
    [3, -1, 0, 4],
    [3, 10_000, 99, 4],
  ])('mode %i, year %i, number %i is refused', (mode, year, number, error) => {
    const [status, detail] = periodErrors[error] ?? []
    expect(() => period(mode, year, number)).toThrow(expect.objectContaining({ status, detail }))
  })

  test('the number is not looked at with the year mode', () => {
    expect(period(3, 2026, 999)).toEqual({ first: '2026-01-01', last: '2026-12-31' })
  })
})

describe('chart windows', () => {
  test.each([
    [0, 7],
    [1, 30],
  ] as const)('mode %i ends with its day and has %i days', (mode, length) => {
    fc.assert(
      fc.property(anyDay, (last) => {
        const days = daysAround(Number(last.slice(0, 4))).map(({ date }) => date)
        const end = days.indexOf(last) + 1
        expect(chartWindow(mode, last)).toEqual(ends(days.slice(Math.max(0, end - length), end)))
      }),
    )
  })
})

describe('days', () => {
  test('are added one by one, and stop at the ends of the years 1 and 9999', () => {
    fc.assert(
      fc.property(anyDay, fc.integer({ min: -300, max: 300 }), (day, count) => {
        const days = daysAround(Number(day.slice(0, 4))).map(({ date }) => date)
        const at = Math.min(Math.max(days.indexOf(day) + count, 0), days.length - 1)
        expect(addDays(day, count)).toBe(days[at])
      }),
    )
  })

  test('are those of the calendar and no others', () => {
    const anyPart = fc.integer({ min: 0, max: 40 })
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9999 }), anyPart, anyPart, (year, month, day) => {
        const date = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`
        expect(isCalendarDate(date)).toBe(year > 0 && day > 0 && day <= (monthLengths(year)[month - 1] ?? 0))
      }),
    )
    fc.assert(fc.property(anyDay, (day) => isCalendarDate(day)))
    for (const text of [
      '',
      '2026-1-01',
      '2026-01-01T00:00',
      '+2026-01-01',
      ' 2026-01-01',
      '2026/01/01',
      '20260101',
    ]) {
      expect(isCalendarDate(text)).toBe(false)
    }
  })
})

describe('today', () => {
  test('is the date on a wall in New York, through every change of its clocks', () => {
    // Since 2007: summer time from 7:00 UTC of March's second Sunday to 6:00 UTC of November's first.
    const sunday = (year: number, month: number, nth: number) => {
      const sundays = daysOf(year).filter((day) => day.month === month && day.weekday === SUNDAY)
      return sundays[nth - 1]?.date
    }
    const changes = (year: number) => [
      Date.parse(`${sunday(year, 3, 2)}T07:00:00Z`),
      Date.parse(`${sunday(year, 11, 1)}T06:00:00Z`),
    ]
    const anyInstant = fc.integer({ min: 2008, max: 2037 }).chain((year) =>
      fc
        .oneof(
          fc.integer({ min: Date.UTC(year, 0, 1, 6), max: Date.UTC(year, 11, 31, 23) }),
          fc
            .constantFrom(...changes(year))
            .chain((change) =>
              fc.integer({ min: -90_000_000, max: 90_000_000 }).map((offset) => change + offset),
            ),
        )
        .map((at) => ({ year, at })),
    )
    fc.assert(
      fc.property(anyInstant, ({ year, at }) => {
        const [spring = 0, autumn = 0] = changes(year)
        const offset = at >= spring && at < autumn ? 4 : 5
        const wall = new Date(at - offset * 3_600_000).toISOString().slice(0, 10)
        expect(today('America/New_York', new Date(at))).toBe(wall)
      }),
    )
  })

  test('is another day on each side of the date line', () => {
    const now = new Date('2026-12-31T11:30:00Z')
    expect(today('Pacific/Kiritimati', now)).toBe('2027-01-01')
    expect(today('Pacific/Pago_Pago', now)).toBe('2026-12-31')
  })
})
