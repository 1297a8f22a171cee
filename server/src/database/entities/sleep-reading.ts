import { defineEntity, p } from '@mikro-orm/postgresql'

/** A measurement of a base station. It belongs to the account that was connected when it arrived. */
export const SleepReading = defineEntity({
  name: 'SleepReading',
  tableName: 'sleep_reading',
  properties: {
    basestation_id: p.integer().primary(),
    /** The base station's wall clock. */
    measured_at: p.datetime().columnType('timestamp(6)').primary(),
    root_user_id: p.integer(),
    /** °C. */
    temperature: p.double(),
    /** Per cent. */
    humidity: p.double(),
    brightness: p.integer(),
    noise: p.integer(),
  },
})
