import { defineEntity, p } from '@mikro-orm/postgresql'

/** One public deletion of a device's usage logs: when, from where, how many, and whether it was undone. */
export const DevlogDeletion = defineEntity({
  name: 'DevlogDeletion',
  tableName: 'devlog_deletion',
  properties: {
    id: p.integer().primary().autoincrement(),
    device_id: p.integer(),
    /** Of the child whose records they were; unknown of deletions before this was kept. */
    real_user_id: p.integer().nullable(),
    /** Erased in time. */
    address: p.text().nullable(),
    deleted_at: p.datetime().columnType('timestamptz'),
    deleted_count: p.integer().default(0),
    restored_at: p.datetime().columnType('timestamptz').nullable(),
    restored_count: p.integer().nullable(),
  },
})
