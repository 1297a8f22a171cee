import { defineEntity, p } from '@mikro-orm/postgresql'

/** What the OAuth provider remembers; see `connections/oauth-adapter.ts`. */
export const OauthState = defineEntity({
  name: 'OauthState',
  tableName: 'oauth_state',
  properties: {
    kind: p.text().primary(),
    id_hash: p.blob().primary(),
    grant_id: p.integer().nullable(),
    uid_hash: p.blob().nullable(),
    payload: p.json<object>(),
    consumed_at: p.datetime(3).columnType('timestamptz(3)').nullable(),
    expires_at: p.datetime(3).columnType('timestamptz(3)'),
  },
})
