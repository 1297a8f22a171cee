import { defineEntity, p } from '@mikro-orm/postgresql'

/** Another service that may ask parents for their consent. Operators add them. */
export const Client = defineEntity({
  name: 'Client',
  tableName: 'client',
  properties: {
    id: p.integer().primary().autoincrement(),
    /** The name that the service has in OAuth. */
    client_id: p.text(),
    name: p.text(),
    publisher: p.text(),
    url: p.text(),
    contact: p.text(),
    redirect_uris: p.array().columnType('text[]'),
    scopes: p.array().columnType('text[]'),
    /** It cannot keep a secret, as an app on a phone. */
    is_public: p.boolean(),
    secret_hash: p.blob().nullable(),
    /** The public keys of a service that signs with its own. */
    jwks: p.json<{ keys: object[] }>().nullable(),
    blocked_at: p.datetime(3).columnType('timestamptz(3)').nullable(),
    created_at: p.datetime(3).columnType('timestamptz(3)').defaultRaw('now()'),
  },
})
