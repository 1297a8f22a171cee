import { z } from 'zod'
import { isoTimestampSql } from '../database/wire-time.ts'
import { deviceSchema } from './pairing.ts'

/** A connected device with the id of the child who wears it. */
export const listedDevice = deviceSchema
  .extend({
    real_user_id: z.int().meta({ description: 'The child who wears it' }),
    connected_at: z.string().meta({
      format: 'date-time',
      description: 'Since when the child has worn it',
      examples: ['2026-03-01T18:20:00.000Z'],
    }),
    last_upload_at: z
      .string()
      .nullable()
      .meta({
        format: 'date-time',
        description: 'When it last uploaded a new record of this child; null as long as that is unknown',
        examples: ['2026-03-02T07:12:00.000Z'],
      }),
  })
  .meta({ id: 'Device', description: 'A device that a child wears' })

export type ListedDevice = z.infer<typeof listedDevice>

/** The SQL columns of `device d` that make a `listedDevice`. */
export const LISTED_DEVICE_COLUMNS = `d.id AS device_id, d.real_user_id, d.serial_code, d.unique_id, d.device_alias,
  d.now_firmware_id, d.last_log_file_id, ${isoTimestampSql('d.created_at')} AS created_at,
  ${isoTimestampSql('coalesce(d.connected_at, d.created_at)')} AS connected_at, ${isoTimestampSql('d.last_upload_at')} AS last_upload_at`
