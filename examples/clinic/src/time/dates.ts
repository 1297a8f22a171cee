/** A date as `yyyy-mm-dd`. */
export type CalendarDate = string

/** Noon, UTC, of a date: far from every change of date, so that days can be added. */
export const noon = (date: CalendarDate): Date => new Date(`${date}T12:00:00Z`)

export function addDays(date: CalendarDate, days: number): CalendarDate {
  const at = noon(date)
  at.setUTCDate(at.getUTCDate() + days)
  return at.toISOString().slice(0, 10)
}

const two = (number: number) => String(number).padStart(2, '0')

/** The date of a moment on this computer. */
export const dateOf = (moment: Date): CalendarDate =>
  `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`

/** Today, on this computer. */
export const today = (): CalendarDate => dateOf(new Date())

const monthsOf = (date: CalendarDate) => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7))

/** A month and its neighbours, `yyyy-mm`. */
export function addMonths(month: string, months: number): string {
  const count = monthsOf(month) - 1 + months
  return `${String(Math.floor(count / 12)).padStart(4, '0')}-${two((count % 12) + 1)}`
}

/** The same day of another month, or the last one of that month if it is shorter. */
export function addMonthsToDate(date: CalendarDate, months: number): CalendarDate {
  const month = addMonths(date.slice(0, 7), months)
  const last = Number(addDays(`${addMonths(month, 1)}-01`, -1).slice(8))
  return `${month}-${two(Math.min(Number(date.slice(8)), last))}`
}

/** The weeks of a month, Sunday to Saturday; undefined where a day belongs to another month. */
export function weeksOf(month: string): (CalendarDate | undefined)[][] {
  const first = `${month}-01`
  const weeks: (CalendarDate | undefined)[][] = []
  for (
    let sunday = addDays(first, -noon(first).getUTCDay());
    sunday.slice(0, 7) <= month;
    sunday = addDays(sunday, 7)
  )
    weeks.push(
      Array.from({ length: 7 }, (_, day) => addDays(sunday, day)).map((date) =>
        date.startsWith(month) ? date : undefined,
      ),
    )
  return weeks
}

/** Age in years on a date; of a child below two in months. `birthdate` is `yyyymmdd`; undefined if it is no date. */
export function ageOn(
  date: CalendarDate,
  birthdate: string,
): { unit: 'years' | 'months'; count: number } | undefined {
  if (!/^\d{8}$/.test(birthdate)) return undefined
  const born = `${birthdate.slice(0, 4)}-${birthdate.slice(4, 6)}-${birthdate.slice(6)}`
  const months = monthsOf(date) - monthsOf(born) - (date.slice(8) < born.slice(8) ? 1 : 0)
  if (months < 0) return undefined
  return months < 24 ? { unit: 'months', count: months } : { unit: 'years', count: Math.floor(months / 12) }
}
