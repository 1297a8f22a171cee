import { z } from 'zod'
import type { Sql } from '../database/database.ts'
import { integer, uniqueId } from '../http/fields.ts'
import { isSerialCode, pairing } from './pairing.ts'

/** A base station as the operator registers it. */
export const basestationRegistration = z.object({
  serial_code: z.string().refine(isSerialCode, { error: 'must be 6 to 32 of A-Z 0-9 -' }),
  unique_id: uniqueId,
})

export type BasestationRegistration = z.infer<typeof basestationRegistration>

/** A device as the operator registers it. */
export const registration = basestationRegistration.extend({
  mac_id: pairing.shape.mac_id,
  firmware_id: integer(1).default(1),
})

export type Registration = z.infer<typeof registration>

export interface Registered {
  /** `existing`: the very same was registered before; `conflict`: its serial code or id belongs to another. */
  outcome: 'added' | 'existing' | 'conflict'
  id?: number
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
  return judge(devices, added, (uniqueIds) =>
    sql
      .selectFrom('device')
      .select(['id', 'unique_id', 'serial_code', 'mac_id'])
      .where('unique_id', 'in', uniqueIds)
      .execute(),
  )
}

/** The same for base stations. */
export async function registerBasestations(
  sql: Sql,
  basestations: readonly BasestationRegistration[],
): Promise<Registered[]> {
  if (basestations.length === 0) return []
  const added = await sql
    .insertInto('basestation')
    .values([...basestations])
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'unique_id', 'serial_code'])
    .execute()
  return judge(basestations, added, (uniqueIds) =>
    sql
      .selectFrom('basestation')
      .select(['id', 'unique_id', 'serial_code'])
      .where('unique_id', 'in', uniqueIds)
      .execute(),
  )
}

interface Codes {
  unique_id: string
  serial_code: string
  mac_id?: string
}

const isSame = (one: Codes, other: Codes) =>
  one.unique_id === other.unique_id && one.serial_code === other.serial_code && one.mac_id === other.mac_id

/** What became of each of `given`, of which the insert has `added` some. */
async function judge<Row extends Codes & { id: number }>(
  given: readonly Codes[],
  added: Row[],
  find: (uniqueIds: string[]) => Promise<Row[]>,
): Promise<Registered[]> {
  const missing = given.filter((each) => !added.some((row) => isSame(row, each)))
  const known = missing.length === 0 ? [] : await find(missing.map((each) => each.unique_id))
  return given.map((each) => {
    const fresh = added.findIndex((row) => isSame(row, each))
    // Taken out, so that the same one twice in one list is added once and existing the second time.
    const [row] = fresh < 0 ? [] : added.splice(fresh, 1)
    if (row) {
      known.push(row)
      return { outcome: 'added', id: row.id }
    }
    const same = known.find((other) => isSame(other, each))
    return same ? { outcome: 'existing', id: same.id } : { outcome: 'conflict' }
  })
}
