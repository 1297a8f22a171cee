import { randomUUID } from 'node:crypto'
import { sql as raw } from 'kysely'
import type { Sql } from '../database/database.ts'
import { isoTimestampSql } from '../database/wire-time.ts'
import { recordCommand } from '../trail/operator.ts'
import type { Operator } from '../trail/operator.ts'
import { newSecret } from './client.ts'
import type { Client, NewClient } from './client.ts'

export interface AddedClient {
  client_id: string
  /** Told once; absent for a service that has none. */
  client_secret?: string
}

/** Adds a service that may ask parents. */
export async function addClient(sql: Sql, client: NewClient): Promise<AddedClient> {
  const { name, publisher, url, contact, redirect_uris, scopes, is_public, jwks } = client
  const { client_id = randomUUID(), is_secret_in_body = false } = client
  const made = is_public || jwks ? undefined : newSecret()
  await raw`
    INSERT INTO client (client_id, name, publisher, url, contact, redirect_uris, scopes, is_public, secret_hash, is_secret_in_body, jwks)
    VALUES (${client_id}, ${name}, ${publisher}, ${url}, ${contact}, ${redirect_uris}::text[], ${scopes}::text[], ${is_public},
      ${made?.hash ?? null}::bytea, ${is_secret_in_body}, ${jwks ? JSON.stringify(jwks) : null}::jsonb)`.execute(
    sql,
  )
  return { client_id, ...(made ? { client_secret: made.secret } : {}) }
}

/** A service as operators see it. */
export interface ListedClient extends Omit<Client, 'id' | 'secret_hash' | 'previous_secret_hash' | 'jwks'> {
  /** How many grants for it are in force. */
  grants: number
}

/** The services, newest first; or the one with this id. */
export async function listClients(sql: Sql, clientId?: string): Promise<ListedClient[]> {
  const { rows } = await raw<ListedClient>`
    SELECT c.client_id, c.name, c.publisher, c.url, c.contact, c.redirect_uris, c.scopes, c.is_public,
      c.is_secret_in_body, ${raw.raw(isoTimestampSql('c.blocked_at'))} AS blocked_at, ${raw.raw(isoTimestampSql('c.created_at'))} AS created_at,
      (SELECT count(*) FROM access_grant g
       WHERE g.client_id = c.id AND grant_in_force(g.ended_at, g.expires_at, ${new Date()}))::int AS grants
    FROM client c WHERE c.client_id = coalesce(${clientId ?? null}, c.client_id)
    ORDER BY c.created_at DESC, c.id DESC`.execute(sql)
  return rows
}

/** Blocks a service, or lifts the block. Its tokens are worth nothing meanwhile. Resolves to whether there is one. */
export async function blockClient(sql: Sql, clientId: string, isBlocked: boolean): Promise<boolean> {
  const { numUpdatedRows } = await sql
    .updateTable('client')
    .set({ blocked_at: isBlocked ? new Date() : null })
    .where('client_id', '=', clientId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Of a secret that leaked nothing stays good: neither it nor any token that the service has. */
export type SecretRotation = { overlapSeconds: number } | 'leaked'

/**
 * Gives a service another secret. The present one stays good for a while beside it, so that a back end can change over without
 * a pause. Undefined if there is none with a secret.
 */
export async function rotateSecret(
  sql: Sql,
  clientId: string,
  rotation: SecretRotation,
): Promise<{ client_secret: string; previous_until: string | null } | undefined> {
  const { secret, hash } = newSecret()
  const seconds = rotation === 'leaked' ? 0 : rotation.overlapSeconds
  const until = seconds > 0 ? new Date(Date.now() + seconds * 1000) : null
  const { rows } = await raw`
    UPDATE client SET previous_secret_hash = CASE WHEN ${until}::timestamptz IS NOT NULL THEN secret_hash END,
      previous_secret_until = ${until}, secret_hash = ${hash}
    WHERE client_id = ${clientId} AND secret_hash IS NOT NULL RETURNING id`.execute(sql)
  if (rows.length === 0) return undefined
  if (rotation === 'leaked')
    await raw`DELETE FROM oauth_state WHERE payload ->> 'clientId' = ${clientId}`.execute(sql)
  return { client_secret: secret, previous_until: until?.toISOString() ?? null }
}

/** Removes a service; all grants for it end. Resolves to whether there was one. */
export async function removeClient(sql: Sql, clientId: string, operator: Operator): Promise<boolean> {
  const client = await sql
    .selectFrom('client')
    .select('id')
    .where('client_id', '=', clientId)
    .forUpdate()
    .executeTakeFirst()
  if (!client) return false
  const children = await sql
    .selectFrom('access_grant_child')
    .innerJoin('access_grant', 'access_grant.id', 'grant_id')
    .select('real_user_id')
    .where('client_id', '=', client.id)
    .where('ended_at', 'is', null)
    .execute()
  const realUserIds = children.map(({ real_user_id }) => real_user_id)
  await recordCommand(sql, operator, { operation: 'companion client remove', realUserIds, isChange: true })
  // First, so that followers of ended grants learn of these.
  await sql
    .updateTable('access_grant')
    .set({ ended_at: new Date() })
    .where('client_id', '=', client.id)
    .where('ended_at', 'is', null)
    .execute()
  await sql.deleteFrom('client').where('id', '=', client.id).execute()
  return true
}
