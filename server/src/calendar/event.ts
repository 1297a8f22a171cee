import { z } from 'zod'
import { integer, text } from '../http/fields.ts'

const MOST_ITEMS = 100

const list = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .max(MOST_ITEMS, { error: `must have at most ${MOST_ITEMS} items` })
    .default([])

/** Medication taken and hospitals visited on one day; a missing list is an empty one. */
export const eventData = z.object({
  medication: list(z.object({ medication_name: text({ most: 200 }), medication_dose: integer(0) })),
  hospital: list(text({ most: 200 })),
})

export const memo = text({ most: 1000 })

/** Which events say something, in SQL; one that has been emptied does not. */
export const TELLING_EVENT = `(memo <> '' OR event_data <> '{"medication": [], "hospital": []}')`

export const emptyEvent = { memo: '', event_data: { medication: [], hospital: [] } }

/** The entity tag of an event: another one after every change of it. */
export const entityTag = ({ id, version }: { id: number; version: number }) => `"${id}-${version}"`
