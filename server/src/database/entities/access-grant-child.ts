import { defineEntity, p } from '@mikro-orm/postgresql'

/** A child that a grant is for. */
export const AccessGrantChild = defineEntity({
  name: 'AccessGrantChild',
  tableName: 'access_grant_child',
  properties: {
    grant_id: p.integer().primary().autoincrement(false),
    real_user_id: p.integer().primary().autoincrement(false),
  },
})
