import { defineEntity, p } from '@mikro-orm/postgresql'

/** A time in which a child wore a device with one firmware; the present one is open (`until` null). */
export const DeviceHistory = defineEntity({
  name: 'DeviceHistory',
  tableName: 'device_history',
  properties: {
    device_id: p.integer().primary(),
    real_user_id: p.integer(),
    firmware_id: p.integer(),
    since: p.datetime().columnType('timestamptz').primary(),
    until: p.datetime().columnType('timestamptz').nullable(),
    last_upload_at: p.datetime().columnType('timestamptz').nullable(),
  },
})
