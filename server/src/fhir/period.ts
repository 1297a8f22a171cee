/** A half-open time: from its beginning, and up to its end, which no longer belongs to it. `infinity` where it has none. */
export interface Period {
  from: string
  until: string
}

export const ALWAYS: Period = { from: '-infinity', until: 'infinity' }

const SEARCHED =
  /^(eq|ge|gt|le|lt)?(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+ -]\d\d:\d\d))?)?)?$/

/**
 * What a search asks for by a date (https://hl7.org/fhir/R4/search.html#date): the times that it admits. Dates are `yyyy-mm-dd`,
 * moments ISO 8601 in UTC. Undefined if it is not valid; with `dates`, a moment is not either, because it is compared with
 * dates that have no zone.
 */
export function periodOf(text: string, compared: 'dates' | 'moments'): Period | undefined {
  const [whole, prefix = 'eq', year = '', month, day, hour, minute, second, fraction, zone] =
    SEARCHED.exec(text) ?? []
  if (whole === undefined || year === '0000' || (hour !== undefined && compared === 'dates')) return undefined
  const date = new Date(`${year}-${month ?? '01'}-${day ?? '01'}T00:00:00Z`)
  // `Date` takes the 31st of February for a day of March.
  if (Number.isNaN(date.getTime()) || date.getUTCDate() !== Number(day ?? 1)) return undefined
  const at = Date.parse(
    hour === undefined
      ? date.toISOString()
      : `${year}-${month}-${day}T${hour}:${minute}:${second ?? '00'}${(zone ?? 'Z').replace(' ', '+')}`,
  )
  if (Number.isNaN(at)) return undefined
  const begin = new Date(at + Math.floor(Number(`0.${fraction ?? 0}`) * 1000))
  const end = new Date(begin)
  if (fraction !== undefined) end.setUTCMilliseconds(end.getUTCMilliseconds() + 1)
  else if (second !== undefined) end.setUTCSeconds(end.getUTCSeconds() + 1)
  else if (minute !== undefined) end.setUTCMinutes(end.getUTCMinutes() + 1)
  else if (day !== undefined) end.setUTCDate(end.getUTCDate() + 1)
  else if (month !== undefined) end.setUTCMonth(end.getUTCMonth() + 1)
  else end.setUTCFullYear(end.getUTCFullYear() + 1)
  const written = (moment: Date, beyond: string) => {
    const full = moment.toISOString()
    // Years before 1 and after 9999 have a sign.
    if (!/^\d{4}-/.test(full) || full.startsWith('0000')) return beyond
    return compared === 'dates' ? full.slice(0, 10) : full
  }
  const [first, last] = [written(begin, '-infinity'), written(end, 'infinity')]
  if (prefix === 'eq') return { from: first, until: last }
  if (prefix === 'ge') return { from: first, until: 'infinity' }
  if (prefix === 'gt') return { from: last, until: 'infinity' }
  return { from: '-infinity', until: prefix === 'le' ? last : first }
}

/** The time that both admit. */
export const intersectPeriods = (a: Period, b: Period): Period => ({
  from: later(a.from, b.from) ? a.from : b.from,
  until: later(a.until, b.until) ? b.until : a.until,
})

/** Whether `a` is later than `b`; the texts are of one form, or infinite. */
const later = (a: string, b: string): boolean =>
  a === 'infinity' || b === '-infinity' ? true : a === '-infinity' || b === 'infinity' ? false : a > b
