import { defineEntity, p } from '@mikro-orm/postgresql'
import type { EventData } from './event.ts'

/** An event as it was before a change, so that an overwritten note can be recovered. Erased with the event. */
export const EventVersion = defineEntity({
  name: 'EventVersion',
  tableName: 'event_version',
  properties: {
    event_id: p.integer().primary(),
    version: p.integer().primary(),
    event_date: p.date(),
    memo: p.text(),
    event_data: p.json<EventData | string>(),
    saved_at: p.datetime().columnType('timestamptz'),
    saved_by: p.integer().nullable(),
  },
})
