import { statement } from '../database/statement.ts'
import type { Context } from '../http/context.ts'
import { LARGEST_ID } from '../http/fields.ts'
import { InvalidInput } from '../http/validation-issues.ts'

const HEADER = 'X-Firmware'

/** Returns the firmware that an upload reports in `X-Firmware`, if any. Throws `InvalidInput` for a malformed one. */
export function reportedFirmware({ headers }: Context['request']): number | undefined {
  const text = headers['x-firmware']
  if (text === undefined) return undefined
  if (typeof text !== 'string' || !/^\d{1,10}$/.test(text) || Number(text) > LARGEST_ID)
    throw new InvalidInput([HEADER], `must be an integer from 0 to ${LARGEST_ID}`, 'header')
  return Number(text)
}

/** Changes nothing, and locks nothing, when the firmware is known already. */
export const setFirmware = statement(
  'set-firmware',
  `UPDATE device d SET now_firmware_id = $2
   FROM (SELECT id FROM device WHERE unique_id = ANY ($1::uuid[]) AND now_firmware_id <> $2
         ORDER BY id FOR NO KEY UPDATE) AS updated
   WHERE d.id = updated.id`,
)
