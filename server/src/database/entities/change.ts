import { defineEntity, p } from '@mikro-orm/postgresql'

/** A change of a child's data, for those who watch the child: docs/decisions/changes-feed.md. */
export const Change = defineEntity({
  name: 'Change',
  tableName: 'change',
  properties: {
    /** The transaction that made it; with `id` its place among all changes. */
    xact_id: p.string().columnType('xid8').defaultRaw('pg_current_xact_id()').primary(),
    id: p.bigint().primary().autoincrement(),
    kind: p.text(),
    real_user_id: p.integer(),
    /** The treatment, event, survey, child or grant. */
    subject_id: p.bigint(),
    date: p.date().nullable(),
    at: p.datetime(3).columnType('timestamptz(3)').defaultRaw('now()'),
    /** Null for all who may read the child's data. */
    account_id: p.integer().nullable(),
    client_id: p.integer().nullable(),
  },
})
