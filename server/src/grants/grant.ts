import { sql as raw } from 'kysely'
import { statement } from '../database/statement.ts'
import type { Database, Sql } from '../database/database.ts'
import type { Scope } from '../http/scope.ts'

/** What a parent has allowed a client. */
export interface Grant {
  id: number
  root_user_id: number
  /** Its name in OAuth. */
  client_id: string
  scopes: Scope[]
  /** Seconds since 1970, as is the end. */
  granted_at: number
  expires_at: number | null
  is_of_one_child: boolean
}

/** SQL condition for `access_grant g` with its `client c` and `root_user u`: it is in force at `now`. */
const isLive = (now: string) =>
  `grant_in_force(g.ended_at, g.expires_at, ${now}) AND c.blocked_at IS NULL AND is_active_account(u)`

const GRANT = `SELECT g.id, g.root_user_id, c.client_id, g.scopes,
    extract(epoch FROM g.granted_at)::float8 AS granted_at, extract(epoch FROM g.expires_at)::float8 AS expires_at,
    (SELECT count(*) = 1 FROM access_grant_child WHERE grant_id = g.id) AS is_of_one_child
  FROM access_grant g JOIN client c ON c.id = g.client_id JOIN root_user u ON u.id = g.root_user_id`

const selectGrant = statement<Grant>('grant', `${GRANT} WHERE g.id = $1 AND ${isLive('$2')}`)
const selectGrantOf = statement<Grant>(
  'grant-of',
  `${GRANT} WHERE g.root_user_id = $1 AND c.client_id = $2 AND ${isLive('$3')}`,
)

/** A grant in force, by its id, or of an account for a client. */
export async function findGrant(
  { query }: Database,
  wanted: { grantId: number } | { rootUserId: number; clientId: string },
): Promise<Grant | undefined> {
  const now = new Date()
  const [grant] = await ('grantId' in wanted
    ? query(selectGrant, [wanted.grantId, now])
    : query(selectGrantOf, [wanted.rootUserId, wanted.clientId, now]))
  return grant
}

/** Ends a grant that is in force, of `rootUserId` if it is given. Resolves to its children; undefined if there was none. */
export async function endGrant(
  sql: Sql,
  { grantId, rootUserId }: { grantId: number; rootUserId?: number },
): Promise<number[] | undefined> {
  const now = new Date()
  const { rows } = await raw<{ children: number[] }>`
    UPDATE access_grant g SET ended_at = ${now}
    WHERE id = ${grantId} AND grant_in_force(ended_at, expires_at, ${now})
      AND root_user_id = coalesce(${rootUserId ?? null}::int, root_user_id)
    RETURNING ARRAY(SELECT real_user_id FROM access_grant_child WHERE grant_id = g.id) AS children`.execute(
    sql,
  )
  return rows[0]?.children
}

export interface GrantConsent {
  rootUserId: number
  clientId: string
  scopes: readonly Scope[]
  children: readonly number[]
  expiresAt: Date | null
}

/**
 * Keeps a consent, in place of an earlier one of the account for the client. The caller has locked account and children.
 * Resolves to the grant's id; undefined if the client is gone or blocked.
 */
export async function storeGrant(sql: Sql, consent: GrantConsent): Promise<number | undefined> {
  const { rootUserId, clientId, scopes, children, expiresAt } = consent
  const client = await sql
    .selectFrom('client')
    .select('id')
    .where('client_id', '=', clientId)
    .where('blocked_at', 'is', null)
    .forShare()
    .executeTakeFirst()
  if (!client) return undefined
  await sql
    .updateTable('access_grant')
    .set({ ended_at: new Date() })
    .where('root_user_id', '=', rootUserId)
    .where('client_id', '=', client.id)
    .where('ended_at', 'is', null)
    .execute()
  const { rows } = await raw<{ id: number }>`
    INSERT INTO access_grant (root_user_id, client_id, scopes, granted_at, expires_at)
    VALUES (${rootUserId}, ${client.id}, ${scopes}::text[], ${new Date()}, ${expiresAt}) RETURNING id`.execute(
    sql,
  )
  const id = rows[0]?.id
  if (id === undefined) return undefined
  await sql
    .insertInto('access_grant_child')
    .values(children.map((real_user_id) => ({ grant_id: id, real_user_id })))
    .execute()
  return id
}
