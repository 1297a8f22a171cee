import { defineEntity, p } from '@mikro-orm/postgresql'

/** A link for setting a new password, kept only as a hash; a used one stays until purged, to be called used. */
export const ResetToken = defineEntity({
  name: 'ResetToken',
  tableName: 'reset_token',
  properties: {
    token_hash: p.blob().primary(),
    root_user_id: p.integer(),
    expires_at: p.datetime().columnType('timestamptz'),
    used_at: p.datetime().columnType('timestamptz').nullable(),
  },
})
