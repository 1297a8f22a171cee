import { randomBytes } from 'node:crypto'
import { tokenHash } from '../auth/tokens/tokens.ts'
import type { Sql } from '../database/database.ts'

/** How the key of a device is kept. */
export const deviceKeyHash = (key: string): Buffer => tokenHash(key)

/**
 * Gives a device a key of its own, in the place of a former one. Resolves to it, 43 characters of base64url, which nobody can read
 * again: only its hash is kept.
 */
export async function makeDeviceKey(sql: Sql, deviceId: number): Promise<string> {
  const key = randomBytes(32).toString('base64url')
  await sql
    .updateTable('device')
    .set({ ddi_key_hash: deviceKeyHash(key) })
    .where('id', '=', deviceId)
    .execute()
  return key
}
