import { defineEntity, p } from '@mikro-orm/postgresql'

/** One change of a consent. Rows are only ever added; the database refuses everything else. */
export const Consent = defineEntity({
  name: 'Consent',
  tableName: 'consent',
  properties: {
    id: p.bigint().primary().autoincrement(),
    root_user_id: p.integer(),
    kind: p.enum(['push', 'marketing']),
    /** Null: the first answer, given at sign-up. */
    old_value: p.boolean().nullable(),
    new_value: p.boolean(),
    /** Where the change was made. */
    source: p.text(),
    recorded_at: p.datetime().columnType('timestamptz(3)'),
  },
})
