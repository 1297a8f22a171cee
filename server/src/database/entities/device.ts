import { defineEntity, p } from '@mikro-orm/postgresql'

/** A device that the operator has registered; `real_user_id` is null while it is not connected to a child. */
export const Device = defineEntity({
  name: 'Device',
  tableName: 'device',
  properties: {
    id: p.integer().primary().autoincrement(),
    unique_id: p.uuid(),
    serial_code: p.text(),
    /** The last four characters of the MAC address. */
    mac_id: p.text(),
    device_alias: p.text(),
    real_user_id: p.integer().nullable(),
    connected_at: p.datetime().columnType('timestamptz').nullable(),
    now_firmware_id: p.integer().default(1),
    last_log_file_id: p.integer().default(0),
    /** When a record of the present wearer last arrived; null before the first. */
    last_upload_at: p.datetime().columnType('timestamptz').nullable(),
    /** Whether `shifted_devlog` may have another date for what it sends. */
    has_shifted_devlogs: p.boolean().default(false),
    created_at: p.datetime().columnType('timestamptz').defaultRaw('now()'),
  },
})
