import { errors } from 'oidc-provider'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { tokenHash } from '../auth/tokens/tokens.ts'
import { statement } from '../database/statement.ts'
import type { Database } from '../database/database.ts'
import { clientMetadata, findClient } from './client.ts'
import { endGrant, findGrant } from '../grants/grant.ts'
import type { Grant } from '../grants/grant.ts'
import { contextScopes, namesWithin } from '../http/scope-names.ts'

/* Where the library `oidc-provider` keeps what it remembers. Clients and grants have tables of their own. */

const SECOND = 1000
const RETIRED_MS = 60 * SECOND
/** The library asks for an end of every grant; this one is beyond the life of any token. */
const NO_END_SECONDS = 100 * 365 * 86_400

const save = statement<never>(
  'oauth-save',
  `INSERT INTO oauth_state (kind, id_hash, grant_id, uid_hash, payload, expires_at) VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT (kind, id_hash) DO UPDATE SET payload = excluded.payload, expires_at = excluded.expires_at
   WHERE oauth_state.consumed_at IS NULL`,
)

// The library looks for an assertion before it saves it. Of several that come at once, one gets a row.
const saveOnce = statement<{ kind: string }>(
  'oauth-save-once',
  `INSERT INTO oauth_state (kind, id_hash, payload, expires_at) VALUES ($1, $2, $3, $4)
   ON CONFLICT (kind, id_hash) DO NOTHING RETURNING kind`,
)

interface Kept {
  payload: AdapterPayload
  consumed: number | null
}
const KEPT = 'payload, extract(epoch FROM consumed_at)::float8 AS consumed'
const findById = statement<Kept>(
  'oauth-find',
  `SELECT ${KEPT} FROM oauth_state WHERE kind = $1 AND id_hash = $2`,
)
// What a session was before it got another id may be there for a minute more.
const findByUid = statement<Kept>(
  'oauth-find-uid',
  `SELECT ${KEPT} FROM oauth_state WHERE kind = $1 AND uid_hash = $2 ORDER BY expires_at DESC LIMIT 1`,
)

// Of several who come at once with the same code or refresh token, one gets a row.
const consume = statement<{ kind: string }>(
  'oauth-consume',
  `UPDATE oauth_state SET consumed_at = $3 WHERE kind = $1 AND id_hash = $2 AND consumed_at IS NULL RETURNING kind`,
)

// What a second click or another tab may still ask for: a step that was answered, and the id that a sign-in had before it.
const retire = statement<never>(
  'oauth-retire',
  `UPDATE oauth_state SET consumed_at = coalesce(consumed_at, $3), expires_at = least(expires_at, $4),
     payload = payload || jsonb_build_object('exp', least((payload ->> 'exp')::bigint, extract(epoch FROM $4::timestamptz)::bigint))
   WHERE kind = $1 AND id_hash = $2`,
)
const remove = statement<never>('oauth-remove', 'DELETE FROM oauth_state WHERE kind = $1 AND id_hash = $2')
const removeByUid = statement<never>(
  'oauth-remove-uid',
  'DELETE FROM oauth_state WHERE kind = $1 AND uid_hash = $2',
)
const removeOfGrant = statement<never>(
  'oauth-remove-of-grant',
  'DELETE FROM oauth_state WHERE kind = $1 AND grant_id = $2',
)

/**
 * What is kept of a payload. It leaves out the id, by which its holder proves themselves, wherever it stands: only its hash is
 * kept.
 */
function withoutIds(
  id: string,
  { jti: _jti, returnTo, session, ...payload }: AdapterPayload,
): AdapterPayload {
  const { cookie: _cookie, ...rest } = session ?? {}
  return {
    ...payload,
    ...(session ? { session: rest } : {}),
    ...(returnTo?.endsWith(id) ? { returnTo: returnTo.slice(0, -id.length) } : {}),
  }
}

const withId = (id: string, { returnTo, ...payload }: AdapterPayload): AdapterPayload => ({
  ...payload,
  jti: id,
  ...(returnTo === undefined ? {} : { returnTo: `${returnTo}${id}` }),
})

async function payloadIn(rows: Promise<Kept[]>): Promise<AdapterPayload | undefined> {
  const [row] = await rows
  return row && { ...row.payload, ...(row.consumed === null ? {} : { consumed: row.consumed }) }
}

/** Makes the adapter of one of the library's models. */
export const oauthAdapter =
  (database: Database) =>
  (kind: string): Adapter => {
    if (kind === 'Client') return clients(database)
    if (kind === 'Grant') return grants(database)
    const { query } = database
    return {
      async upsert(id, payload, seconds = 0) {
        const expiresAt = new Date(Date.now() + seconds * SECOND)
        if (kind === 'ReplayDetection') {
          const saved = await query(saveOnce, [kind, tokenHash(id), JSON.stringify(payload), expiresAt])
          if (saved.length === 0) throw new errors.InvalidClientAuth('used at the same time')
          return
        }
        await query(save, [
          kind,
          tokenHash(id),
          payload.grantId === undefined ? null : Number(payload.grantId),
          kind === 'Session' && payload.uid ? tokenHash(payload.uid) : null,
          JSON.stringify(withoutIds(id, payload)),
          expiresAt,
        ])
      },
      async find(id) {
        const payload = await payloadIn(query(findById, [kind, tokenHash(id)]))
        return payload && withId(id, payload)
      },
      findByUid: (uid) => payloadIn(query(findByUid, [kind, tokenHash(uid)])),
      async findByUserCode() {},
      async consume(id) {
        const taken = await query(consume, [kind, tokenHash(id), new Date()])
        if (taken.length === 0) throw new errors.InvalidGrant('already used')
      },
      async destroy(id) {
        const now = Date.now()
        if (kind === 'Interaction' || kind === 'Session')
          await query(retire, [kind, tokenHash(id), new Date(now), new Date(now + RETIRED_MS)])
        else await query(remove, [kind, tokenHash(id)])
      },
      async revokeByGrantId(grantId) {
        await query(removeOfGrant, [kind, Number(grantId)])
      },
    }
  }

/** Ends the sign-in of a browser, which the library knows by `uid`. */
export async function endProviderSession({ query }: Database, uid: string): Promise<void> {
  await query(removeByUid, ['Session', tokenHash(uid)])
}

const refused = () => Promise.reject(new TypeError('Not done by the library'))
const notByLibrary = {
  upsert: refused,
  findByUid: refused,
  findByUserCode: refused,
  consume: refused,
  destroy: refused,
  revokeByGrantId: refused,
}

/** By each name what was granted, and that it was; which child it is for is known where it is one. */
const grantedNames = ({ scopes, is_of_one_child }: Grant) => [
  ...namesWithin(scopes),
  ...contextScopes.filter((name) => name !== 'launch/patient' || is_of_one_child),
]

const clients = (database: Database): Adapter => ({
  ...notByLibrary,
  async find(clientId) {
    const client = await findClient(database, clientId)
    return client && !client.blocked_at ? clientMetadata(client) : undefined
  },
})

const grants = (database: Database): Adapter => ({
  ...notByLibrary,
  async find(id) {
    const grant = await findGrant(database, { grantId: Number(id) })
    if (!grant) return undefined
    const granted = Math.floor(grant.granted_at)
    const end = grant.expires_at
    return {
      jti: id,
      kind: 'Grant',
      accountId: String(grant.root_user_id),
      clientId: grant.client_id,
      openid: { scope: grantedNames(grant).join(' ') },
      iat: granted,
      exp: end === null ? granted + NO_END_SECONDS : Math.floor(end),
    }
  },
  async destroy(id) {
    await database.transaction((sql) => endGrant(sql, { grantId: Number(id) }))
  },
})
