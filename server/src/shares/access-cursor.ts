import { z } from 'zod'

/** A place in the access record of a child, which is read backwards. */
interface Place {
  /** Seconds since 1970. */
  hour: number
  memberId: number
  operation: string
}

/** Before the newest row. */
export const FIRST_PAGE: Place = { hour: 253_402_300_799, memberId: 0, operation: '' }

const place = z.tuple([
  z.int().min(0).max(FIRST_PAGE.hour),
  z
    .int()
    .min(0)
    .max(2 ** 31 - 1),
  z.string().regex(/^[\w.]{1,100}$/),
])

/** Writes a place as a text for callers to send back. */
export const writeCursor = ({ hour, memberId, operation }: Place): string =>
  Buffer.from(JSON.stringify([hour, memberId, operation])).toString('base64url')

/** Reads what `writeCursor` has written; undefined for any other text. */
export function readCursor(text: string): Place | undefined {
  try {
    const [hour, memberId, operation] = place.parse(
      JSON.parse(Buffer.from(text, 'base64url').toString('utf8')),
    )
    return { hour, memberId, operation }
  } catch {
    return undefined
  }
}
