import { defineEntity, p } from '@mikro-orm/postgresql'

/** An open offer to become a member of a child; its token is kept only as a hash. */
export const Invitation = defineEntity({
  name: 'Invitation',
  tableName: 'invitation',
  properties: {
    id: p.integer().primary().autoincrement(),
    token_hash: p.blob(),
    real_user_id: p.integer(),
    role: p.enum(['guardian', 'viewer']),
    email: p.text(),
    /** Keyed hash of the address in lower case, by which it is looked up. */
    email_hash: p.blob().nullable(),
    until: p.date().nullable(),
    created_at: p.datetime(3).columnType('timestamptz(3)'),
    expires_at: p.datetime(3).columnType('timestamptz(3)'),
  },
})
