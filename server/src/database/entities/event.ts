import { defineEntity, p } from '@mikro-orm/postgresql'

/** A parent's note about a child's day. A trigger keeps the replaced version in `event_version`. */
export const Event = defineEntity({
  name: 'Event',
  tableName: 'event',
  properties: {
    id: p.integer().primary().autoincrement(),
    real_user_id: p.integer(),
    event_date: p.date(),
    memo: p.text(),
    /** A text when it is encrypted. */
    event_data: p.json<EventData | string>(),
    /** Counts the changes, from 1. */
    version: p.integer().default(1),
    saved_at: p.datetime().columnType('timestamptz').defaultRaw('now()'),
    /** The account that wrote it; null if an operator did. */
    saved_by: p.integer().nullable(),
  },
})

/** Medication taken and hospitals visited on one day. */
export interface EventData {
  medication: { medication_name: string; medication_dose: number }[]
  hospital: string[]
}
