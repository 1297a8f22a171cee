import { sql } from 'kysely'
import type { Expression } from 'kysely'
import { z } from 'zod'
import { uniqueId } from '../http/fields.ts'
import type { Sql } from '../database/database.ts'

/** What proves that someone holds the device: printed on it, read from it over the air, and its id. */
export const pairing = z.object({
  serial_code: z
    .string()
    .meta({ description: 'Printed on the device: 6 to 32 of `A-Z 0-9 -`', examples: ['CMP-000123'] }),
  mac_id: z
    .string()
    .regex(/^[0-9A-F]{4}$/, { error: 'must be 4 characters of 0-9 A-F' })
    .meta({ description: 'The last 4 characters of the MAC address, without colon', examples: ['1A2B'] }),
  unique_id: uniqueId,
})

export type Pairing = z.infer<typeof pairing>

/** The shape of a serial code. */
export const isSerialCode = (value: string) => /^[A-Z0-9-]{6,32}$/.test(value)

/** A device as the contract answers it. */
export const device = z.object({
  device_id: z.int(),
  now_firmware_id: z.int().meta({ description: 'Of the firmware that it runs' }),
  unique_id: z.guid(),
  serial_code: z.string().meta({ description: 'Printed on the device' }),
  device_alias: z.string().meta({ description: 'Its name; the serial code until it is renamed' }),
  last_log_file_id: z
    .int()
    .meta({ description: 'The highest `log_file_id` received of the child who wears it; 0 without any' }),
  created_at: z.string().meta({ format: 'date-time' }),
})

export type DeviceAnswer = z.infer<typeof device>

/** In SQL, the highest `log_file_id` of the live records that the child `wearer` has made with `device`; 0 without any. */
const lastLogFileOf = (wearer: Expression<number | null>) =>
  sql<number>`coalesce((
    SELECT max(t.log_file_id) FROM treatment t
    WHERE t.device_id = device.id AND t.real_user_id = ${wearer} AND t.deleted_at IS NULL
  ), 0)`

/** Tells the device again which log file is its last, after records of it have gone or come back. */
export const refreshLastLogFile = (tx: Sql, deviceId: number) =>
  tx
    .updateTable('device')
    .set((row) => ({ last_log_file_id: lastLogFileOf(row.ref('device.real_user_id')) }))
    .where('id', '=', deviceId)
    .execute()

/**
 * Connects the device to a child, within the transaction that makes or holds the child. One conditional statement
 * decides: of several callers one gets the device. The alias starts as the serial code.
 */
export async function connectDevice(
  tx: Sql,
  realUserId: number,
  { serial_code, mac_id, unique_id }: Pairing,
): Promise<DeviceAnswer | 'serial code' | 'unknown' | 'connected'> {
  const connected = await tx
    .updateTable('device')
    .set({
      real_user_id: realUserId,
      connected_at: new Date(),
      device_alias: serial_code,
      last_log_file_id: lastLogFileOf(sql.val(realUserId)),
    })
    .where('serial_code', '=', serial_code)
    .where('unique_id', '=', unique_id)
    .where('mac_id', '=', mac_id)
    .where('real_user_id', 'is', null)
    .returning([
      'id as device_id',
      'now_firmware_id',
      'unique_id',
      'serial_code',
      'device_alias',
      'last_log_file_id',
      'created_at',
    ])
    .executeTakeFirst()
  if (connected) return { ...connected, created_at: connected.created_at.toISOString() }
  const named = await tx
    .selectFrom('device')
    .select(['unique_id', 'mac_id'])
    .where('serial_code', '=', serial_code)
    .executeTakeFirst()
  if (named && named.mac_id !== mac_id) return 'serial code'
  if (named?.unique_id === unique_id) return 'connected'
  return 'unknown'
}

/**
 * Locks every device that `where` is added for, in the order in which uploads do: else a change of several devices and
 * an upload of them could wait for each other in a circle.
 */
export const lockDevices = (tx: Sql) => tx.selectFrom('device').select('id').orderBy('id').forNoKeyUpdate()

/** Makes every device that `where` is added for free for the next child. The history stays with the old one. */
export const disconnectDevices = (tx: Sql) =>
  tx.updateTable('device').set({
    real_user_id: null,
    connected_at: null,
    device_alias: (column) => column.ref('serial_code'),
    last_log_file_id: 0,
  })
