import { z } from 'zod'
import { isLocalDateTime } from '../time/wall-clock.ts'

/** The place of a record among the records of a child: by date, and by id where dates are equal. */
export interface Place {
  date: string
  id: string
}

/** Returns the text that a caller sends to go on behind `place`. It says nothing that the record did not say. */
export const cursorOf = ({ date, id }: Place): string => Buffer.from(`${date} ${id}`).toString('base64url')

function placeOf(cursor: string): Place | undefined {
  const [date = '', id = '', ...more] = Buffer.from(cursor, 'base64url').toString('latin1').split(' ')
  const place = { date, id }
  // Only what the service itself has written: base64 has many texts for the same bytes.
  const isPlace =
    more.length === 0 && isLocalDateTime(date) && /^[1-9]\d{0,17}$/.test(id) && cursorOf(place) === cursor
  return isPlace ? place : undefined
}

/** A cursor as a caller sends it. */
export const pageCursor = z
  .string()
  .max(80)
  .transform((cursor, refusal) => {
    const place = placeOf(cursor)
    if (place) return place
    refusal.addIssue({ code: 'custom', message: 'must be the `next` of an answer' })
    return z.NEVER
  })
  .meta({
    description: 'The `next` of the page before',
    examples: [cursorOf({ date: '2026-03-01T21:30:00', id: '8123' })],
  })
