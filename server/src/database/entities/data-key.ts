import { defineEntity, p } from '@mikro-orm/postgresql'

/** A key that values may be encrypted with. */
export const DataKey = defineEntity({
  name: 'DataKey',
  tableName: 'data_key',
  properties: {
    id: p.text().primary(),
    /** The id, encrypted with the key. */
    proof: p.text(),
    since: p.datetime(3).columnType('timestamptz(3)').defaultRaw('now()'),
  },
})
