import { defineEntity, p } from '@mikro-orm/postgresql'

/** Tries to sign in that have failed in a row, from addresses that the account is not known by; see `limits/limits.ts`. */
export const StrangerStreak = defineEntity({
  name: 'StrangerStreak',
  tableName: 'stranger_streak',
  properties: {
    root_user_id: p.integer().primary().autoincrement(false),
    failures: p.integer(),
  },
})
