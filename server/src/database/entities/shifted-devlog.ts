import { defineEntity, p } from '@mikro-orm/postgresql'

/** One record that a shift has moved, until the shift is undone. */
export const ShiftedDevlog = defineEntity({
  name: 'ShiftedDevlog',
  tableName: 'shifted_devlog',
  properties: {
    device_id: p.integer().primary(),
    /** The date that the device sent, even if other shifts have moved the record before. */
    sent_date: p.datetime().columnType('timestamp(6)').primary(),
    log_file_id: p.integer().primary(),
    shift_id: p.integer().primary(),
    is_temp: p.boolean(),
    /** The date that the record has now. */
    date: p.datetime().columnType('timestamp(6)'),
    real_user_id: p.integer(),
  },
})
