import { defineEntity, p } from '@mikro-orm/postgresql'

/** A child account. */
export const RealUser = defineEntity({
  name: 'RealUser',
  tableName: 'real_user',
  properties: {
    id: p.integer().primary().autoincrement(),
    root_user_id: p.integer(),
    first_name: p.text(),
    last_name: p.text(),
    birthdate: p.text(),
    gender: p.text(),
    deleted_at: p.datetime().columnType('timestamptz').nullable(),
    created_at: p.datetime().columnType('timestamptz').defaultRaw('now()'),
  },
})
