import { defineEntity, p } from '@mikro-orm/postgresql'

/** What an account has allowed a client; in force until it is ended or expires, unless either of them is blocked. */
export const AccessGrant = defineEntity({
  name: 'AccessGrant',
  tableName: 'access_grant',
  properties: {
    id: p.integer().primary().autoincrement(),
    root_user_id: p.integer(),
    client_id: p.integer(),
    scopes: p.array().columnType('text[]'),
    granted_at: p.datetime(3).columnType('timestamptz(3)').defaultRaw('now()'),
    expires_at: p.datetime(3).columnType('timestamptz(3)').nullable(),
    ended_at: p.datetime(3).columnType('timestamptz(3)').nullable(),
    /** To the minute. */
    last_used_at: p.datetime(3).columnType('timestamptz(3)').nullable(),
  },
})
