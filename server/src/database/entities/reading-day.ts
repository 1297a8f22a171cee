import { defineEntity, p } from '@mikro-orm/postgresql'

/** The sums of what a base station measured on one date, for the account that was connected when it arrived. */
export const ReadingDay = defineEntity({
  name: 'ReadingDay',
  tableName: 'reading_day',
  properties: {
    basestation_id: p.integer().primary(),
    /** By the base station's wall clock. */
    date: p.date().primary(),
    root_user_id: p.integer().primary(),
    readings: p.integer(),
    last_measured_at: p.datetime().columnType('timestamp(6)'),
    temperature: p.string().columnType('numeric'),
    humidity: p.string().columnType('numeric'),
    brightness: p.bigint(),
    noise: p.bigint(),
  },
})

/** Its only row says from which time of measurement on readings are kept one by one, and whether older ones are summed. */
export const ReadingHorizon = defineEntity({
  name: 'ReadingHorizon',
  tableName: 'reading_horizon',
  properties: {
    is_only: p.boolean().primary().default(true),
    raw_from: p.datetime().columnType('timestamp(6)'),
    /** The last base station whose readings from before are summed; null when all are. */
    summed_station: p.integer().nullable(),
  },
})
