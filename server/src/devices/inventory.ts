import { sql as raw } from 'kysely'
import { recordSecurityEvent } from '../auth/security-record.ts'
import type { Sql } from '../database/database.ts'
import type { KeyRing } from '../encryption/key-ring.ts'
import { encryptOldValue } from '../trail/old-value.ts'
import { recordCommand } from '../trail/operator.ts'
import type { Operator } from '../trail/operator.ts'
import { disconnectDevices } from './pairing.ts'

/** Selects devices as operators see them: with ids and without names of people. */
const devicesWithOwner = (sql: Sql) =>
  sql
    .selectFrom('device')
    .leftJoin('real_user', 'real_user.id', 'device.real_user_id')
    .select([
      'device.id as device_id',
      'serial_code',
      'unique_id',
      'now_firmware_id',
      'hardware',
      'last_log_file_id',
      'real_user_id',
      'root_user_id',
      'connected_at',
      'device.created_at',
    ])

/** Lists the registered devices, newest first. */
export function listInventory(
  sql: Sql,
  { state, limit }: { state?: 'connected' | 'free' | undefined; limit: number },
) {
  const devices = devicesWithOwner(sql).orderBy('device.id', 'desc').limit(limit)
  if (!state) return devices.execute()
  return devices.where('real_user_id', state === 'free' ? 'is' : 'is not', null).execute()
}

/** Reads a device, how much it has recorded and for how many children; undefined if there is no such device. */
export async function showDevice(sql: Sql, serialCode: string) {
  const device = await devicesWithOwner(sql)
    .select('mac_id')
    .where('serial_code', '=', serialCode)
    .executeTakeFirst()
  if (!device) return undefined
  const { rows } = await raw<{ treatments: number; children: number }>`
    SELECT count(*)::int AS treatments, count(DISTINCT real_user_id)::int AS children
    FROM device_treatments(${device.device_id}, '-infinity', 'infinity')`.execute(sql)
  return { ...device, ...(rows[0] ?? { treatments: 0, children: 0 }) }
}

/**
 * Disconnects a device from the child who wears it, within a transaction. Returns the device as it was before, or
 * undefined if there is no such device. With `dryRun`, nothing changes.
 */
export async function disconnectDevice(
  sql: Sql,
  keyRing: KeyRing,
  serialCode: string,
  { dryRun, operator }: { dryRun: boolean; operator: Operator },
) {
  const device = await devicesWithOwner(sql)
    .select('device_alias')
    .where('serial_code', '=', serialCode)
    .forUpdate('device')
    .executeTakeFirst()
  if (device && device.root_user_id !== null && !dryRun) {
    await disconnectDevices(sql).where('id', '=', device.device_id).execute()
    const { device_id, device_alias, real_user_id } = device
    await recordCommand(sql, operator, {
      operation: 'companion device disconnect',
      realUserIds: real_user_id === null ? [] : [real_user_id],
      isChange: true,
      oldValue: encryptOldValue(keyRing, {
        device_id,
        device_alias: keyRing.decrypt('device.device_alias', device_alias),
      }),
    })
    await recordSecurityEvent(sql, operator, {
      action: 'device_disconnect',
      rootUserId: device.root_user_id,
      reason: `device ${device.device_id}, by an operator`,
    })
  }
  return device
}
