import { z } from 'zod'
import { integer, note, text } from '../http/fields.ts'
import type { CallerRequest } from '../http/request.ts'

const MOST_ITEMS = 100

const list = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .max(MOST_ITEMS, { error: `must have at most ${MOST_ITEMS} items` })
    .default([])

const dataOf = (words: ReturnType<typeof text>) =>
  z.object({
    medication: list(
      z.object({
        medication_name: words,
        medication_dose: integer(0).meta({ description: 'In the unit the family uses for it' }),
      }),
    ),
    hospital: list(words),
  })

/** Medication taken and hospitals visited on one day, as they are answered. */
export const eventData = dataOf(text({ most: 200 }))

/** The same as they are sent; a missing list is an empty one. */
export const sentEventData = dataOf(note({ most: 200 }))

export const memo = note({ most: 1000 })

/** Which events say something, in SQL; one that has been emptied does not. */
export const TELLING_EVENT = `(memo <> '' OR event_data <> '{"medication": [], "hospital": []}')`

export const emptyEvent = { memo: '', event_data: { medication: [], hospital: [] } }

interface Versioned {
  id: number
  version: number
}

/** The entity tag of an event: another one after every change of it. */
const entityTag = ({ id, version }: Versioned) => `"${id}-${version}"`

/** Tells a client the entity tag: over REST in the header `ETag`, over tRPC, which shows no headers, in the answer. */
export function tellVersion(request: CallerRequest, event: Versioned): { version?: string } {
  const version = entityTag(event)
  request.answerHeader('etag', version)
  return request.surface === 'trpc' ? { version } : {}
}

export const version = z.string().optional().meta({
  description: 'The version of the event. Over REST it is the header `ETag` instead',
})

/** RFC 9110, 13.1.1: whether the event is one of those that `If-Match` names. */
export function isExpected(ifMatch: string | undefined, event: Versioned | undefined): boolean {
  if (ifMatch === undefined) return true
  if (!event) return false
  return ifMatch.split(',').some((tag) => ['*', entityTag(event)].includes(tag.trim()))
}
