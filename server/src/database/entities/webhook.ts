import { defineEntity, p } from '@mikro-orm/postgresql'

const moment = () => p.datetime(3).columnType('timestamptz(3)')

/** Where a client is told that there are changes, and the delivery that waits for it. */
export const Webhook = defineEntity({
  name: 'Webhook',
  tableName: 'webhook',
  properties: {
    id: p.integer().primary().autoincrement(),
    client_id: p.integer(),
    url: p.text(),
    /** The secret is derived from it. */
    salt: p.blob(),
    previous_salt: p.blob().nullable(),
    previous_until: moment().nullable(),
    disabled_at: moment().nullable(),
    created_at: moment().defaultRaw('now()'),
    due_at: moment().nullable(),
    message_id: p.uuid().nullable(),
    since_xact_id: p.string().columnType('xid8').nullable(),
    tries: p.smallint().default(0),
    next_xact_id: p.string().columnType('xid8').nullable(),
    delivered_at: moment().nullable(),
  },
})
