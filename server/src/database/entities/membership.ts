import { defineEntity, p } from '@mikro-orm/postgresql'

/** What an account may do with the child of another one, until the end of `until` or until it is ended. */
export const Membership = defineEntity({
  name: 'Membership',
  tableName: 'membership',
  properties: {
    id: p.integer().primary().autoincrement(),
    real_user_id: p.integer(),
    root_user_id: p.integer(),
    role: p.enum(['guardian', 'viewer']),
    since: p.datetime(3).columnType('timestamptz(3)'),
    /** The last day, in the time zone of the service. */
    until: p.date().nullable(),
    ended_at: p.datetime(3).columnType('timestamptz(3)').nullable(),
  },
})
