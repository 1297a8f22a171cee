import { defineEntity, p } from '@mikro-orm/postgresql'

/** How often a member has called one operation on a child within one hour; see `auth/access-record.ts`. */
export const ChildAccess = defineEntity({
  name: 'ChildAccess',
  tableName: 'child_access',
  properties: {
    real_user_id: p.integer().primary(),
    hour: p.datetime(3).columnType('timestamptz(3)').primary(),
    member_id: p.integer().primary(),
    operation: p.text().primary(),
    times: p.integer(),
  },
})
