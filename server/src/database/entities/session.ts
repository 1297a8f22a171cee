import { defineEntity, p } from '@mikro-orm/postgresql'

/** The one session of an account. Tokens are kept only as hashes. */
export const Session = defineEntity({
  name: 'Session',
  tableName: 'session',
  properties: {
    root_user_id: p.integer().primary().autoincrement(false),
    refresh_hash: p.blob(),
    /** The token that the current one replaced, and the hash of the Idempotency-Key it was replaced under. */
    previous_hash: p.blob().nullable(),
    idempotency_hash: p.blob().nullable(),
    /** When the current pair was issued; with it and the key the same pair can be made again. */
    issued_at: p.datetime().columnType('timestamptz'),
  },
})
