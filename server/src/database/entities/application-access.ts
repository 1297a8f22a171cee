import { defineEntity, p } from '@mikro-orm/postgresql'

/** How often a client has called one operation on a child within one hour; see `auth/access-record.ts`. */
export const ApplicationAccess = defineEntity({
  name: 'ApplicationAccess',
  tableName: 'application_access',
  properties: {
    real_user_id: p.integer().primary().autoincrement(false),
    hour: p.datetime(3).columnType('timestamptz(3)').primary(),
    client_id: p.integer().primary().autoincrement(false),
    operation: p.text().primary(),
    times: p.integer(),
  },
})
