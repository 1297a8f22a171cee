import { addDays } from '../time/dates'
import type { CalendarDate } from '../time/dates'

/** What this phone knows of when a date's note was written, on the clock where the user is. The service does not say. */
export interface NoteSightings {
  /** When the phone first saw the note. */
  seenAt?: string | undefined
  /** When it last saw that there was none. */
  emptyAt?: string | undefined
}

/** What is known of a date after it was read at `now`, with a note or without one. */
export const updateSightings = (
  before: NoteSightings | undefined,
  isEmpty: boolean,
  now: string,
): NoteSightings => (isEmpty ? { emptyAt: now } : { seenAt: before?.seenAt ?? now, emptyAt: before?.emptyAt })

/** The night that a note is about. */
export interface NightOfNote {
  /** The date of its evening. */
  evening: CalendarDate
  /** False if this phone does not know when the note was written. */
  isCertain: boolean
}

/**
 * The night that the note of a date is about, as people read it: a note that was written before noon of its date is about the
 * night before. A night of the date itself cannot have begun by then, because nights begin at noon. Undefined if the note is
 * about its date.
 */
export function nightOfNote(date: CalendarDate, { seenAt, emptyAt }: NoteSightings): NightOfNote | undefined {
  const noon = `${date}T12:00:00`
  const evening = addDays(date, -1)
  if (seenAt === undefined) return undefined
  if (seenAt < noon) return { evening, isCertain: true }
  return emptyAt !== undefined && emptyAt >= noon ? undefined : { evening, isCertain: false }
}
