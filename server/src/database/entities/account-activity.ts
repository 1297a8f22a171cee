import { defineEntity, p } from '@mikro-orm/postgresql'

/** When the holder of an account was last here, and was told that the account will be erased; see `account/inactive-accounts.ts`. */
export const AccountActivity = defineEntity({
  name: 'AccountActivity',
  tableName: 'account_activity',
  properties: {
    root_user_id: p.integer().primary().autoincrement(false),
    /** To the day. */
    seen_at: p.datetime().columnType('timestamptz'),
    told_at: p.datetime().columnType('timestamptz').nullable(),
  },
})
