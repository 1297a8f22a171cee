import { defineEntity, p } from '@mikro-orm/postgresql'

/** One alert to a parent by one channel: ids only. The outbox of `delivery/send-alerts.ts`. */
export const Alert = defineEntity({
  name: 'Alert',
  tableName: 'alert',
  properties: {
    id: p.bigint().primary().autoincrement(),
    /** By which a receiver knows an alert that arrives twice. */
    uuid: p.uuid().defaultRaw('gen_random_uuid()'),
    channel: p.enum(['push', 'alim_talk']),
    kind: p.enum(['device_contact', 'basestation_environment']),
    /** The hash of its subject: one alert for each. */
    cause: p.uuid(),
    root_user_id: p.integer(),
    real_user_id: p.integer().nullable(),
    device_id: p.integer().nullable(),
    basestation_id: p.integer().nullable(),
    tries: p.smallint().default(0),
    /** When it may be tried next; null once it is done with. */
    due_at: p.datetime().columnType('timestamptz').nullable().defaultRaw('now()'),
    outcome: p.text().nullable(),
    created_at: p.datetime().columnType('timestamptz').defaultRaw('now()'),
  },
})
