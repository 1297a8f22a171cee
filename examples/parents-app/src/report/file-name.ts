import type { CalendarDate } from '../time/dates'

interface Period {
  start_date: CalendarDate
  end_date: CalendarDate
}

/**
 * A file name that tells the children's reports apart: `Mina 2026-08-21–11-20.pdf`. It keeps the letters of every language,
 * and no character with a meaning in a path or URL.
 */
export function fileName(of: string, { start_date, end_date }: Period, ending: 'pdf' | 'xlsx'): string {
  const letters = of.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
  const name = Array.from(letters)
    .slice(0, 40)
    .join('')
    .replace(/^-+|-+$/g, '')
  const isSameYear = start_date.slice(0, 4) === end_date.slice(0, 4)
  const period = `${start_date}–${isSameYear ? end_date.slice(5) : end_date}`
  return `${[name, period].filter(Boolean).join(' ')}.${ending}`
}
