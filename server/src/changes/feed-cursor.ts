import { z } from 'zod'
import { cursorOf, pageCursorField } from '../http/page-cursor.ts'

const whole = z.string().regex(/^(0|[1-9]\d{0,17})$/)

/** The place of a change among all changes: its transaction, and its number. */
const place = z.tuple([whole, whole])
export type FeedPosition = z.infer<typeof place>

const cursor = pageCursorField(place)

/** The field `after`: the `next` of an earlier response, or `latest`. */
export const feedCursorSchema = z
  .string()
  .transform((text, context): FeedPosition | 'latest' => {
    if (text === 'latest') return text
    const parsed = cursor.safeParse(text)
    if (parsed.success) return parsed.data
    context.addIssue({ code: 'custom', message: 'must be the `next` of an earlier answer, or `latest`' })
    return z.NEVER
  })
  .meta({
    description: 'The `next` of an earlier response; `latest`: no items, but the `next` to begin with now',
  })

/** The text for `after` that shows the changes behind `at`. */
export const encodeFeedCursor = (at: FeedPosition): string => cursorOf(at)

/** Before all changes of the transaction `xactId`, and of later ones. */
export const positionBeforeTransaction = (xactId: string): FeedPosition => [xactId, '0']
