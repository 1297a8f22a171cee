import { defineEntity, p } from '@mikro-orm/postgresql'

/** One correction of the dates of a device's usage logs, and whether it was undone. */
export const DevlogShift = defineEntity({
  name: 'DevlogShift',
  tableName: 'devlog_shift',
  properties: {
    id: p.integer().primary().autoincrement(),
    device_id: p.integer(),
    from_date: p.datetime().columnType('timestamp(6)'),
    to_date: p.datetime().columnType('timestamp(6)'),
    by_seconds: p.bigint(),
    shifted_at: p.datetime().columnType('timestamptz'),
    shifted_count: p.integer(),
    undone_at: p.datetime().columnType('timestamptz').nullable(),
  },
})
