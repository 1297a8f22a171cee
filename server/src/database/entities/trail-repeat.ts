import { defineEntity, p } from '@mikro-orm/postgresql'

/** Reads that came again within their minute, until the rows of the trail count them; see `trail/repeats.ts`. */
export const TrailRepeat = defineEntity({
  name: 'TrailRepeat',
  tableName: 'trail_repeat',
  properties: {
    id: p.bigint().primary().autoincrement(),
    reads: p.array().columnType('text[]'),
    times: p.array().columnType('int[]'),
  },
})
