import { z } from 'zod'
import type { Sql } from '../database/database.ts'
import { isSerialCode } from '../devices/pairing.ts'
import { registrationOutcomesOf } from '../devices/registration-outcome.ts'
import type { RegistrationOutcome } from '../devices/registration-outcome.ts'
import { uniqueIdField } from '../http/fields.ts'

/** The data with which an operator registers a base station. */
export const basestationRegistrationInput = z.object({
  serial_code: z.string().refine(isSerialCode, { error: 'must be 6 to 32 of A-Z 0-9 -' }),
  unique_id: uniqueIdField,
})

export type BasestationRegistration = z.infer<typeof basestationRegistrationInput>

/** Registers base stations in one statement; safe to repeat. Returns the outcomes in the order given. */
export async function addBasestationsToInventory(
  sql: Sql,
  basestations: readonly BasestationRegistration[],
): Promise<RegistrationOutcome[]> {
  if (basestations.length === 0) return []
  const added = await sql
    .insertInto('basestation')
    .values([...basestations])
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'unique_id', 'serial_code'])
    .execute()
  return registrationOutcomesOf(basestations, added, (uniqueIds) =>
    sql
      .selectFrom('basestation')
      .select(['id', 'unique_id', 'serial_code'])
      .where('unique_id', 'in', uniqueIds)
      .execute(),
  )
}
