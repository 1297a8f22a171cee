import { sql } from 'kysely'
import type { Expression } from 'kysely'
import { z } from 'zod'
import type { ErrorDeclaration } from '../errors/failure.ts'
import { uniqueIdField } from '../http/fields.ts'
import type { Sql } from '../database/database.ts'

/** How an operation that connects a device may refuse its codes. */
export const pairingErrors = [
  [
    400,
    'Serial code is not valid',
    'it is not 6 to 32 characters of `A-Z 0-9 -`, or its device has another `mac_id`',
  ],
  [404, 'Not Found Device', 'no device has this `serial_code` and `unique_id`'],
  [409, 'Already Connected Device', 'a child wears the device'],
] as const satisfies readonly ErrorDeclaration[]

/** How an operation on a device may be refused that a child must wear. */
export const wornDeviceErrors = [
  [401, 'Not authorized user', 'a child of another account wears the device'],
  [404, 'Not Found Device', 'no such device, or nobody wears it'],
] as const satisfies readonly ErrorDeclaration[]

/**
 * The proof that someone holds the device: its printed serial code, part of its MAC address, read by radio, and its id.
 */
export const pairingInput = z.object({
  serial_code: z
    .string()
    .meta({ description: 'Printed on the device: 6 to 32 of `A-Z 0-9 -`', examples: ['CMP-000123'] }),
  mac_id: z
    .string()
    .regex(/^[0-9A-F]{4}$/, { error: 'must be 4 characters of 0-9 A-F' })
    .meta({
      description: 'The last 4 characters of the MAC address, upper case, without colon',
      examples: ['1A2B'],
    }),
  unique_id: uniqueIdField,
})

export type PairingInput = z.infer<typeof pairingInput>

/** A kind of hardware: a device gets firmware of its own kind alone. */
export const hardwareKindField = z
  .string()
  .regex(/^[A-Za-z0-9.-]{1,32}$/, 'must be 1 to 32 of A-Z a-z 0-9 . -')

/** Whether `value` has the format of a serial code. */
export const isSerialCode = (value: string) => /^[A-Z0-9-]{6,32}$/.test(value)

/** A device in the format of the contract. */
export const deviceSchema = z.object({
  device_id: z.int(),
  now_firmware_id: z.int().meta({ description: 'The firmware that it runs' }),
  unique_id: z.guid(),
  serial_code: z.string().meta({ description: 'Printed on the device' }),
  device_alias: z.string().meta({ description: 'Its name; the serial code until somebody renames it' }),
  last_log_file_id: z
    .int()
    .meta({ description: 'The highest `log_file_id` received of the child who wears it; 0 without any' }),
  created_at: z.string().meta({ format: 'date-time' }),
})

export type DeviceResponse = z.infer<typeof deviceSchema>

/** In SQL, the highest `log_file_id` of the live records that the child `wearer` has made with `device`; 0 without any. */
const lastLogFileOf = (wearer: Expression<number | null>) =>
  sql<number>`last_log_file_of(device.id, ${wearer})`

/** Tells the device again which log file is its last, after records of it have gone or come back. */
export const updateLastLogFileId = (tx: Sql, deviceId: number) =>
  tx
    .updateTable('device')
    .set((row) => ({ last_log_file_id: lastLogFileOf(row.ref('device.real_user_id')) }))
    .where('id', '=', deviceId)
    .execute()

/**
 * Connects the device to a child, within the transaction that created or locked the child. One conditional statement
 * decides, so that only one of several callers gets the device. The alias starts as the serial code.
 */
export async function connectDevice(
  tx: Sql,
  realUserId: number,
  { serial_code, mac_id, unique_id }: PairingInput,
  connected_at = new Date(),
): Promise<(DeviceResponse & { connected_at: string }) | 'serial code' | 'unknown' | 'connected'> {
  const connected = await tx
    .updateTable('device')
    .set({
      real_user_id: realUserId,
      connected_at,
      device_alias: serial_code,
      last_log_file_id: lastLogFileOf(sql.val(realUserId)),
    })
    // Locked before its last log file is looked up, for which a distributed database locks the device's records.
    .where('id', '=', (row) =>
      row
        .selectFrom('device')
        .select('id')
        .where('serial_code', '=', serial_code)
        .where('unique_id', '=', unique_id)
        .where('mac_id', '=', mac_id)
        .where('real_user_id', 'is', null)
        .forNoKeyUpdate(),
    )
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
  if (connected)
    return {
      ...connected,
      created_at: connected.created_at.toISOString(),
      connected_at: connected_at.toISOString(),
    }
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
 * Locks the devices that the caller selects by adding `where`, in the same order as uploads: otherwise a change of
 * several devices and an upload of them could deadlock.
 */
export const lockDevices = (tx: Sql) => tx.selectFrom('device').select('id').orderBy('id').forNoKeyUpdate()

/**
 * Locks the devices that children wear or have worn, before the children are erased or let a clinic in: an upload of a former one
 * may be completing a record of theirs.
 */
export const lockDevicesOfChildren = (tx: Sql, children: readonly number[]) =>
  lockDevices(tx)
    .where(
      sql<boolean>`(real_user_id = ANY (${children}::int[])
        OR id IN (SELECT device_id FROM device_history WHERE real_user_id = ANY (${children}::int[])))`,
    )
    .execute()

/** Frees the devices that the caller selects by adding `where`. Their history stays with the child who wore them. */
export const disconnectDevices = (tx: Sql) =>
  tx.updateTable('device').set({
    real_user_id: null,
    connected_at: null,
    device_alias: (column) => column.ref('serial_code'),
    last_log_file_id: 0,
  })
