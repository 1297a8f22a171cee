import { defineEntity, p } from '@mikro-orm/postgresql'

/** One time a base station was connected to an account; at most one a station is open (`disconnected_at` null). */
export const BasestationConnection = defineEntity({
  name: 'BasestationConnection',
  tableName: 'basestation_connection',
  properties: {
    id: p.integer().primary().autoincrement(),
    basestation_id: p.integer(),
    root_user_id: p.integer(),
    connected_at: p.datetime().columnType('timestamptz').defaultRaw('now()'),
    disconnected_at: p.datetime().columnType('timestamptz').nullable(),
  },
})
