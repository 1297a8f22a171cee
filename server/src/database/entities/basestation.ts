import { defineEntity, p } from '@mikro-orm/postgresql'

/** A base station that the operator has registered; `root_user_id` is null while it is not connected to an account. */
export const Basestation = defineEntity({
  name: 'Basestation',
  tableName: 'basestation',
  properties: {
    id: p.integer().primary().autoincrement(),
    unique_id: p.uuid(),
    serial_code: p.text(),
    root_user_id: p.integer().nullable(),
    connected_at: p.datetime().columnType('timestamptz').nullable(),
    created_at: p.datetime().columnType('timestamptz').defaultRaw('now()'),
  },
})
