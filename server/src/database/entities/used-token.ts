import { defineEntity, p } from '@mikro-orm/postgresql'

/** Single-use tokens that have been used, kept until they would have expired anyway. */
export const UsedToken = defineEntity({
  name: 'UsedToken',
  tableName: 'used_token',
  properties: {
    token_id: p.uuid().primary(),
    expires_at: p.datetime().columnType('timestamptz'),
  },
})
