import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { EventData } from '../entities/json-columns.ts'
import { keyIdOf, encryptIfChanged } from '../encryption/key-ring.ts'
import type { KeyRing } from '../encryption/key-ring.ts'
import { integerField, multilineField, textField } from '../http/fields.ts'
import type { CallerRequest } from '../http/request.ts'

const MOST_ITEMS = 100

const list = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .max(MOST_ITEMS, { error: `must have at most ${MOST_ITEMS} items` })
    .default([])

const dataOf = (words: ReturnType<typeof textField>) =>
  z.object({
    medication: list(
      z.object({
        medication_name: words,
        medication_dose: integerField(0).meta({ description: 'In the unit the family uses for it' }),
      }),
    ),
    hospital: list(words),
  })

/** Medication taken and hospitals visited on one day, as they are answered. */
export const eventDataSchema = dataOf(textField({ most: 200 })).meta({
  id: 'EventData',
  description: 'Medication taken and hospitals visited',
})

/** The same as they are sent; a missing list is an empty one. */
export const eventDataInput = dataOf(multilineField({ most: 200, isVisible: true }))

export const memoSchema = multilineField({ most: 1000 })

/** SQL condition for events that are not empty. */
export const NON_EMPTY_EVENT_SQL = `(memo <> '' OR event_data <> '{"medication": [], "hospital": []}')`

/** What a note says, as it is stored. */
export interface StoredEvent {
  memo: string
  /** A text when it is encrypted: the encrypted JSON. */
  event_data: EventData | string
}

/** What a note says. */
export const decryptEvent = (keyRing: KeyRing, { memo, event_data }: StoredEvent) => ({
  memo: keyRing.decrypt('event.memo', memo),
  event_data: decryptEventData(keyRing, event_data),
})

function decryptEventData(keyRing: KeyRing, stored: EventData | string): EventData {
  if (typeof stored !== 'string') return stored
  const data: EventData = JSON.parse(keyRing.decrypt('event.event_data', stored))
  return data
}

/**
 * The columns of a note that comes in place of `stored`. Empty lists stay readable, so that SQL can tell the days with a
 * note. What says the same as before stays the same, so that SQL sees no change.
 */
export function encryptEvent(
  keyRing: KeyRing,
  { memo, event_data }: { memo?: string | undefined; event_data?: EventData | undefined },
  stored: StoredEvent | undefined,
): Partial<StoredEvent> {
  return {
    ...(memo === undefined ? {} : { memo: encryptIfChanged(keyRing, 'event.memo', memo, stored?.memo) }),
    ...(event_data === undefined
      ? {}
      : { event_data: encryptEventData(keyRing, event_data, stored?.event_data) }),
  }
}

function encryptEventData(keyRing: KeyRing, data: EventData, stored: EventData | string | undefined) {
  if (stored !== undefined && isDeepStrictEqual(decryptEventData(keyRing, stored), data)) return stored
  if (data.medication.length === 0 && data.hospital.length === 0) return data
  const sealed = keyRing.encrypt('event.event_data', JSON.stringify(data))
  return keyIdOf(sealed) === undefined ? data : sealed
}

export const emptyEvent = { memo: '', event_data: { medication: [], hospital: [] } }

interface Versioned {
  id: number
  version: number
}

/** Returns the entity tag of an event, which differs after every change. */
const entityTag = ({ id, version }: Versioned) => `"${id}-${version}"`

/**
 * Sends the entity tag over REST in the `ETag` header. Over tRPC, which has no headers, it returns it for the response.
 */
export function sendEventEtag(request: CallerRequest, event: Versioned): { version?: string } {
  const version = entityTag(event)
  request.responseHeader('etag', version)
  return request.surface === 'trpc' ? { version } : {}
}

export const eventVersionSchema = z.string().optional().meta({
  description: 'The version of the event. Over REST it is the header `ETag` instead',
})

/** A tag as it was sent, or as a proxy that compresses answers has dressed it: `W/"41-3"`, `"41-3-gzip"`, `"41-3;br"`. */
const DRESSED_TAG = /^(?:W\/)?"?(?<version>\d+-\d+)(?:[-;:.+]{1,2}\w+)?"?$/i

/** Whether the event satisfies `If-Match` (RFC 9110, 13.1.1), by the version in the tag. */
export function satisfiesIfMatch(ifMatch: string | undefined, event: Versioned | undefined): boolean {
  if (ifMatch === undefined) return true
  if (!event) return false
  const version = `${event.id}-${event.version}`
  return ifMatch.split(',').some((sent) => {
    const tag = sent.trim()
    return tag === '*' || DRESSED_TAG.exec(tag)?.groups?.['version'] === version
  })
}
