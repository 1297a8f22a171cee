import { z } from 'zod'
import { statement } from '../database/statement.ts'
import type { Database } from '../database/database.ts'
import { idField } from '../http/fields.ts'

const printable = z.string().regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u, 'must be 1 to 64 printable characters')

/** What is reported about a try to install a firmware. */
export const outcomeFields = {
  firmware_id: idField.meta({ description: 'The firmware that was offered', examples: [13] }),
  outcome: z.enum(['started', 'installed', 'failed', 'refused', 'rolled_back']).meta({
    description:
      '`started`: the device has begun. The others are final. `failed`: it could not be loaded or written. `refused`: the device found it not to be right. `rolled_back`: the device runs the former one again',
    examples: ['installed'],
  }),
  stage: printable.optional().meta({ description: 'Where it happened, in a word', examples: ['verify'] }),
  detail: printable
    .optional()
    .meta({ description: 'What happened, in a few words', examples: ['wrong hash'] }),
}

const fields = z.object(outcomeFields)

// A final report that comes again changes nothing, unless another try has begun in between. It is one statement: who installs runs it.
const keepOutcome = statement<{ was_offered: boolean }>(
  'report-firmware',
  `WITH offered AS MATERIALIZED (
    SELECT o.device_id, o.firmware_id, o.is_under_way OR o.outcome IS DISTINCT FROM $3 AS is_new FROM device_firmware o
    WHERE o.device_id = $1 AND o.firmware_id = $2 FOR NO KEY UPDATE
  ), reported AS (
    UPDATE device_firmware o SET outcome = $3, stage = $4, detail = $5, reported_at = now(), is_under_way = $3 = 'started',
      failed_tries = o.failed_tries + ($3 NOT IN ('started', 'installed'))::int,
      was_active = CASE WHEN $3 = 'installed' AND o.installed_at IS NULL
        THEN coalesce(d.last_upload_at >= now() - interval '7 days', false) ELSE o.was_active END,
      installed_at = CASE WHEN $3 = 'installed' THEN coalesce(o.installed_at, now()) ELSE o.installed_at END
    FROM offered, device d
    WHERE offered.is_new AND o.device_id = offered.device_id AND o.firmware_id = offered.firmware_id AND d.id = o.device_id
    RETURNING o.device_id
  ), running AS (
    UPDATE device d SET now_firmware_id = $2 FROM reported
    WHERE $3 = 'installed' AND d.id = reported.device_id AND d.now_firmware_id <> $2
  )
  SELECT EXISTS (SELECT FROM offered) AS was_offered`,
)

/** Keeps what a device has made of a firmware. Returns whether the device was ever offered it. */
export async function keepReport(
  { query }: Pick<Database, 'query'>,
  deviceId: number,
  { firmware_id, outcome, stage, detail }: z.infer<typeof fields>,
): Promise<boolean> {
  const [kept] = await query(keepOutcome, [deviceId, firmware_id, outcome, stage ?? null, detail ?? null])
  return kept?.was_offered ?? false
}

export const neverOffered = [404, 'Firmware not found', 'the device was never offered this firmware'] as const

export const reportSaved = { statusCode: 200 as const, message: 'Report saved successfully' }
