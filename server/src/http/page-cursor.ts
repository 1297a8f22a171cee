import { z } from 'zod'

/** Returns the text that a caller sends to go on behind `place`. It says nothing that the page did not say. */
export const cursorOf = (place: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(place)).toString('base64url')

/** What is wrong with a text that no page has given. */
export const NO_CURSOR = 'must be the `next` of an earlier answer'

/** The field for such a text. It takes only what `cursorOf` has written of a place that fits `place`, in at most `most` characters. */
export const pageCursorField = <Place extends z.ZodType<readonly (string | number)[]>>(
  place: Place,
  most = 200,
) =>
  z
    .string()
    .max(most)
    .transform((cursor, context): z.infer<Place> => {
      const parsed = place.safeParse(decoded(cursor))
      // base64 has many texts for the same bytes.
      if (parsed.success && cursorOf(parsed.data) === cursor) return parsed.data
      context.addIssue({ code: 'custom', message: NO_CURSOR })
      return z.NEVER
    })
    .meta({ description: 'The `next` of the page before; without it, the first page' })

function decoded(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}
