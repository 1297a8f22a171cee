import { defineEntity, p } from '@mikro-orm/postgresql'

/** A network address, as a keyed hash, from which the account holder has signed in. */
export const KnownAddress = defineEntity({
  name: 'KnownAddress',
  tableName: 'known_address',
  properties: {
    root_user_id: p.integer().primary(),
    address_hash: p.blob().primary(),
    last_seen_at: p.datetime().columnType('timestamptz'),
  },
})
