import { record } from '../auth/security-record.ts'
import type { Sql } from '../database/database.ts'
import { disconnectDevices } from './pairing.ts'

/** A device as the operator sees it: ids, nobody's name. */
const devicesWithOwner = (sql: Sql) =>
  sql
    .selectFrom('device')
    .leftJoin('real_user', 'real_user.id', 'device.real_user_id')
    .select([
      'device.id as device_id',
      'serial_code',
      'unique_id',
      'now_firmware_id',
      'last_log_file_id',
      'real_user_id',
      'root_user_id',
      'connected_at',
      'device.created_at',
    ])

/** The registered devices, newest first. */
export function listInventory(
  sql: Sql,
  { state, limit }: { state?: 'connected' | 'free' | undefined; limit: number },
) {
  const devices = devicesWithOwner(sql).orderBy('device.id', 'desc').limit(limit)
  if (!state) return devices.execute()
  return devices.where('real_user_id', state === 'free' ? 'is' : 'is not', null).execute()
}

/** One device with how much it has recorded, and for how many children. */
export async function showDevice(sql: Sql, serialCode: string) {
  const device = await devicesWithOwner(sql).where('serial_code', '=', serialCode).executeTakeFirst()
  if (!device) return undefined
  const recorded = await sql
    .selectFrom('treatment')
    .where('device_id', '=', device.device_id)
    .where('deleted_at', 'is', null)
    .select(({ fn }) => [
      fn.countAll<string>().as('treatments'),
      fn.count<string>('real_user_id').distinct().as('children'),
    ])
    .executeTakeFirstOrThrow()
  return { ...device, treatments: Number(recorded.treatments), children: Number(recorded.children) }
}

/**
 * Takes a device from the child who wears it, in a transaction. Answers whom it was taken from, `undefined` when
 * there is no such device; with `dryRun` nothing changes.
 */
export async function takeDevice(sql: Sql, serialCode: string, { dryRun }: { dryRun: boolean }) {
  const device = await devicesWithOwner(sql)
    .where('serial_code', '=', serialCode)
    .forUpdate('device')
    .executeTakeFirst()
  if (device && device.root_user_id !== null && !dryRun) {
    await disconnectDevices(sql).where('id', '=', device.device_id).execute()
    await record(sql, 'operator', {
      action: 'device_disconnect',
      rootUserId: device.root_user_id,
      reason: `device ${device.device_id}, by an operator`,
    })
  }
  return device
}
