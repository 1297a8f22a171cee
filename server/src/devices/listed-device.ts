import { z } from 'zod'
import { wireTime } from '../database/wire-time.ts'
import { device } from './pairing.ts'

/** A connected device with the id of the child who wears it. */
export const listedDevice = device
  .extend({ real_user_id: z.int().meta({ description: 'The child who wears it' }) })
  .meta({ id: 'Device', description: 'A device that a child wears' })

export type ListedDevice = z.infer<typeof listedDevice>

/** The SQL columns of `device d` that make a `listedDevice`. */
export const LISTED_DEVICE = `d.id AS device_id, d.real_user_id, d.serial_code, d.unique_id, d.device_alias,
  d.now_firmware_id, d.last_log_file_id, ${wireTime('d.created_at')} AS created_at`
