import { defineEntity, p } from '@mikro-orm/postgresql'

/** Where an account's phone is reached. A token belongs to one account at a time. */
export const PushToken = defineEntity({
  name: 'PushToken',
  tableName: 'push_token',
  properties: {
    root_user_id: p.integer().primary().autoincrement(false),
    token: p.text(),
    token_hash: p.blob(),
  },
})
