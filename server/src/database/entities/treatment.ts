import { defineEntity, p } from '@mikro-orm/postgresql'

/** One use of a device, as its log says. It belongs to the child who wore the device when the log arrived. */
export const Treatment = defineEntity({
  name: 'Treatment',
  tableName: 'treatment',
  properties: {
    id: p.bigint().primary().autoincrement(),
    device_id: p.integer(),
    real_user_id: p.integer(),
    /** The device's wall clock. */
    treatment_date: p.datetime().columnType('timestamp(6)'),
    treatment_time: p.integer(),
    movement: p.integer().default(0),
    log_file_id: p.integer(),
    last_intensity: p.smallint(),
    finish_flag: p.smallint(),
    is_temp: p.boolean().default(false),
    deleted_at: p.datetime().columnType('timestamptz').nullable(),
    /** Of the journal's `devlog_deletion`, the one that took it last. */
    deletion_id: p.integer().nullable(),
    intensity_record: p.array().columnType('smallint[]'),
  },
})
