import { defineEntity, p } from '@mikro-orm/postgresql'

/** One change of a consent. Rows are only ever added; the database refuses everything else. */
export const Consent = defineEntity({
  name: 'Consent',
  tableName: 'consent',
  properties: {
    id: p.bigint().primary().autoincrement(),
    root_user_id: p.integer(),
    kind: p.enum(['push', 'marketing', 'terms', 'privacy', 'health-data', 'guardian']),
    /** Of the text; null for push messages and marketing, which have none. */
    version: p.text().nullable(),
    /** Null: the first answer. */
    old_value: p.boolean().nullable(),
    new_value: p.boolean(),
    /** Where the change was made. */
    source: p.text(),
    recorded_at: p.datetime().columnType('timestamptz(3)'),
  },
})
