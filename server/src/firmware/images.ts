import { sql as raw } from 'kysely'
import { recordSecurityEvent } from '../auth/security-record.ts'
import type { FirmwareKey } from '../config/firmware-keys.ts'
import type { Sql } from '../database/database.ts'
import type { Operator } from '../trail/operator.ts'
import { ManifestError, sha256Of, verifyManifest } from './manifest.ts'

/** The bytes of one row of an image; the last one may have fewer. */
export const PIECE_BYTES = 65_536

interface NewFirmware {
  image: Uint8Array
  manifest: Uint8Array
  version: string
  notesEn: string | null
  notesKo: string | null
}

/**
 * Keeps an image with its manifest, within a transaction. Safe to repeat with the same bytes. Throws `ManifestError` for one that is
 * not what one of `keys` has signed, or that may not follow what is there.
 */
export async function addFirmware(
  sql: Sql,
  keys: readonly FirmwareKey[],
  operator: Operator,
  { image, manifest, version, notesEn, notesKo }: NewFirmware,
): Promise<{ firmware_id: number; hardware: string; outcome: 'added' | 'existing' }> {
  const { firmware_id, hardware, size, sha256, sequence, not_after, oldest } = verifyManifest(manifest, keys)
  if (image.length !== size)
    throw new ManifestError(`The manifest is of an image of ${size} bytes, and the file has ${image.length}`)
  const hash = Buffer.from(sha256)
  if (!hash.equals(sha256Of(image)))
    throw new ManifestError('The manifest is of another image: the SHA-256 of the file differs')
  if (not_after !== null && not_after * 1000 <= Date.now())
    throw new ManifestError(`The manifest was good until ${new Date(not_after * 1000).toISOString()}`)
  // One after the other, so that no two sequences of a hardware are compared with the same third.
  await raw`SELECT pg_advisory_xact_lock(hashtextextended('firmware ' || ${hardware}::text, 0))`.execute(sql)
  const known = await sql
    .selectFrom('firmware')
    .select(['id', 'sha256', 'hardware', 'sequence'])
    .where((row) => row.or([row('id', '=', firmware_id), row('hardware', '=', hardware)]))
    .orderBy('sequence', 'desc')
    .execute()
  const same = known.find(({ id }) => id === firmware_id)
  if (same) {
    if (same.hardware !== hardware || !hash.equals(same.sha256))
      throw new ManifestError(`Firmware ${firmware_id} is there already, with another image`)
    return { firmware_id, hardware, outcome: 'existing' }
  }
  const highest = known[0]?.sequence ?? 0
  if (sequence <= highest)
    throw new ManifestError(
      `The sequence ${sequence} is not above ${highest}, the highest of the hardware ${hardware}`,
    )
  await sql
    .insertInto('firmware')
    .values({
      id: firmware_id,
      hardware,
      version,
      size,
      sha256: hash,
      sequence,
      not_after: not_after === null ? null : new Date(not_after * 1000),
      oldest,
      manifest: Buffer.from(manifest),
      notes_en: notesEn,
      notes_ko: notesKo,
      added_at: new Date(),
    })
    .execute()
  for (let number = 0; number * PIECE_BYTES < size; number += 1)
    await sql
      .insertInto('firmware_piece')
      .values({
        firmware_id,
        number,
        bytes: Buffer.from(image.subarray(number * PIECE_BYTES, (number + 1) * PIECE_BYTES)),
      })
      .execute()
  await recordSecurityEvent(sql, operator, { action: 'firmware_add', reason: `firmware ${firmware_id}` })
  return { firmware_id, hardware, outcome: 'added' }
}

const described = (sql: Sql) =>
  sql.selectFrom('firmware').select((row) => [
    'id as firmware_id',
    'hardware',
    'version',
    'size',
    'sha256',
    'sequence',
    'not_after',
    'oldest',
    'notes_en',
    'notes_ko',
    'added_at',
    'withdrawn_at',
    row
      .selectFrom('device')
      .select((device) => device.fn.countAll<string>().as('devices'))
      .whereRef('device.hardware', '=', 'firmware.hardware')
      .where('device.hardware', '<>', 'unknown')
      .whereRef('device.now_firmware_id', '=', 'firmware.id')
      .as('devices'),
  ])

/** Lists the firmware that is kept, newest first. */
export const listFirmware = async (sql: Sql, limit: number) =>
  (await described(sql).orderBy('added_at', 'desc').orderBy('id', 'desc').limit(limit).execute()).map(counted)

/** One firmware; undefined if it is not there. */
export async function showFirmware(sql: Sql, firmwareId: number) {
  const found = await described(sql).where('id', '=', firmwareId).executeTakeFirst()
  return found && counted(found)
}

const counted = <Row extends { devices: string | null; sha256: Uint8Array }>(row: Row) => ({
  ...row,
  sha256: Buffer.from(row.sha256).toString('hex'),
  devices: Number(row.devices),
})

/** Has nobody be offered a firmware any more, within a transaction. Returns whether there was one to withdraw. */
export async function withdrawFirmware(sql: Sql, operator: Operator, firmwareId: number): Promise<boolean> {
  const withdrawn = await sql
    .updateTable('firmware')
    .set({ withdrawn_at: new Date() })
    .where('id', '=', firmwareId)
    .where('withdrawn_at', 'is', null)
    .returning('id')
    .execute()
  if (withdrawn.length === 0) return false
  await raw`UPDATE firmware_release SET state = 'cancelled', ended_at = now()
    WHERE firmware_id = ${firmwareId} AND state IN ('open', 'paused')`.execute(sql)
  await recordSecurityEvent(sql, operator, { action: 'firmware_withdraw', reason: `firmware ${firmwareId}` })
  return true
}
