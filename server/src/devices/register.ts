import { sql as raw } from 'kysely'
import { z } from 'zod'
import type { Sql } from '../database/database.ts'
import { integerField, uniqueIdField } from '../http/fields.ts'
import { hardwareKindField, isSerialCode, pairingInput } from './pairing.ts'
import { registrationOutcomesOf } from './registration-outcome.ts'
import type { RegistrationOutcome } from './registration-outcome.ts'

/** The data with which an operator registers a device. */
export const deviceRegistrationInput = z.object({
  serial_code: z.string().refine(isSerialCode, { error: 'must be 6 to 32 of A-Z 0-9 -' }),
  unique_id: uniqueIdField,
  mac_id: pairingInput.shape.mac_id,
  firmware_id: integerField(1).default(1),
  hardware: hardwareKindField.default('unknown'),
})

export type Registration = z.infer<typeof deviceRegistrationInput>

/**
 * Registers devices in one statement; safe to repeat. A device from before that did not say its hardware gets it. Returns the outcomes
 * in the order of `devices`.
 */
export async function addDevicesToInventory(
  sql: Sql,
  devices: readonly Registration[],
): Promise<RegistrationOutcome[]> {
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
  const named = devices.filter(({ hardware: name }) => name !== 'unknown')
  if (named.length > 0)
    await raw`UPDATE device d SET hardware = n.hardware
      FROM unnest(${named.map((each) => each.unique_id)}::uuid[], ${named.map((each) => each.serial_code)}::text[],
        ${named.map((each) => each.hardware)}::text[]) AS n (unique_id, serial_code, hardware)
      WHERE d.unique_id = n.unique_id AND d.serial_code = n.serial_code AND d.hardware = 'unknown'`.execute(
      sql,
    )
  return registrationOutcomesOf(devices, added, (uniqueIds) =>
    sql
      .selectFrom('device')
      .select(['id', 'unique_id', 'serial_code', 'mac_id'])
      .where('unique_id', 'in', uniqueIds)
      .execute(),
  )
}
