import { defineEntity, p } from '@mikro-orm/postgresql'

/** Uploads of a minute, until they are rows of the trail; see `trail/uploads.ts`. */
export const TrailUpload = defineEntity({
  name: 'TrailUpload',
  tableName: 'trail_upload',
  properties: {
    id: p.bigint().primary().autoincrement(),
    /** The beginning of the minute. */
    at: p.datetime(3).columnType('timestamptz(3)'),
    operation: p.text(),
    accounts: p.array().columnType('int[]'),
    devices: p.array().columnType('int[]'),
    children: p.array().columnType('int[]'),
    outcomes: p.array().columnType('text[]'),
    times: p.array().columnType('int[]'),
    address_hashes: p.array().columnType('bytea[]'),
    request_ids: p.array().columnType('text[]'),
  },
})
