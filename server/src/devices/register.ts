import { z } from 'zod'
import type { Sql } from '../database/database.ts'
import { integer, uniqueId } from '../http/fields.ts'
import { isSerialCode, pairing } from './pairing.ts'

/** A device as the operator registers it. */
export const registration = z.object({
  serial_code: z.string().refine(isSerialCode, { error: 'must be 6 to 32 of A-Z 0-9 -' }),
  mac_id: pairing.shape.mac_id,
  unique_id: uniqueId,
  firmware_id: integer(1).default(1),
})

export type Registration = z.infer<typeof registration>

export interface Registered {
  /** `existing`: the very same device was registered before; `conflict`: its serial code or id belongs to another. */
  outcome: 'added' | 'existing' | 'conflict'
  device_id?: number
}

/** Registers devices in one statement, in order; safe to repeat. */
export async function registerDevices(sql: Sql, devices: readonly Registration[]): Promise<Registered[]> {
  if (devices.length === 0) return []
  const added = await sql
    .insertInto('device')
    .values(
      devices.map(({ firmware_id, ...codes }) => ({
        ...codes,
        device_alias: codes.serial_code,
        now_firmware_id: firmware_id,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'unique_id', 'serial_code', 'mac_id'])
    .execute()
  const missing = devices.filter((each) => !added.some((row) => isSame(row, each)))
  const known =
    missing.length === 0
      ? []
      : await sql
          .selectFrom('device')
          .select(['id', 'unique_id', 'serial_code', 'mac_id'])
          .where(
            'unique_id',
            'in',
            missing.map((each) => each.unique_id),
          )
          .execute()
  return devices.map((each) => {
    const fresh = added.findIndex((row) => isSame(row, each))
    // Taken out, so that the same device twice in one list is added once and existing the second time.
    const [row] = fresh < 0 ? [] : added.splice(fresh, 1)
    if (row) {
      known.push(row)
      return { outcome: 'added', device_id: row.id }
    }
    const same = known.find((other) => isSame(other, each))
    return same ? { outcome: 'existing', device_id: same.id } : { outcome: 'conflict' }
  })
}

type Codes = Pick<Registration, 'unique_id' | 'serial_code' | 'mac_id'>

const isSame = (one: Codes, other: Codes) =>
  one.unique_id === other.unique_id && one.serial_code === other.serial_code && one.mac_id === other.mac_id
