import { defineEntity, p } from '@mikro-orm/postgresql'

/** What somebody did with a child's data; see `trail/trail.ts`. Append-only by triggers, and partitioned by month. */
export const Trail = defineEntity({
  name: 'Trail',
  tableName: 'trail',
  properties: {
    id: p.bigint().primary().autoincrement(),
    /** The beginning of the minute, if it is counted. */
    at: p.datetime(3).columnType('timestamptz(3)'),
    actor_kind: p.text(),
    actor: p.text(),
    operation: p.text(),
    real_user_id: p.integer().nullable(),
    outcome: p.text(),
    times: p.integer().default(1),
    is_counted: p.boolean(),
    address_hash: p.blob().nullable(),
    request_id: p.text().nullable(),
    /** Erased with the child. */
    old_value: p.text().nullable(),
    /** These are its place in the chain; see `trail/chain.ts`. */
    block: p.bigint().nullable(),
    place: p.integer().nullable(),
    personal_salt: p.blob().nullable(),
    personal_hash: p.blob().nullable(),
    row_hash: p.blob().nullable(),
  },
})
