import { Failure } from '../../errors/failure.ts'
import { accountErrors, tokenErrors } from '../../errors/generic.ts'
import { statement } from '../../database/statement.ts'
import type { Context } from '../../http/context.ts'
import { dataScopesOf } from '../../http/scope-names.ts'
import type { AnyScope, DataScope, Scope } from '../../http/scope.ts'
import type { Caller } from './caller.ts'
import { tokenHash } from './tokens.ts'

interface Row {
  is_expired: boolean
  is_own: boolean
  /** By the names that they were asked for. */
  token_scopes: string[]
  /** Null if the token rests on no grant. */
  grant_scopes: Scope[] | null
  client_id: number
  /** These are null if the token rests on no grant. */
  grant_id: number | null
  root_user_id: number | null
  is_blocked: boolean | null
  children: number[] | null
  is_due: boolean | null
}

/**
 * A token of a grant, or (`is_own`) one that a service has got for itself, which rests on all its grants: on one row each,
 * or on that for the child `$2` alone. No row if the token, its grant or its service has ended.
 */
const selectGranted = statement<Row>(
  'granted',
  `SELECT t.expires_at <= $3 AS is_expired, t.kind = 'ClientCredentials' AS is_own,
     coalesce(string_to_array(t.payload ->> 'scope', ' '), '{}') AS token_scopes, g.scopes AS grant_scopes,
     c.id AS client_id, g.id AS grant_id, g.root_user_id, u.blocked_at IS NOT NULL AS is_blocked,
     ARRAY(SELECT real_user_id FROM access_grant_child WHERE grant_id = g.id) AS children,
     coalesce(g.last_used_at < $3::timestamptz - interval '1 minute', true) AS is_due
   FROM oauth_state t
   JOIN client c ON c.client_id = t.payload ->> 'clientId' AND c.blocked_at IS NULL
   LEFT JOIN LATERAL (
     SELECT * FROM access_grant WHERE t.kind = 'AccessToken' AND id = t.grant_id
     UNION ALL
     SELECT a.* FROM access_grant a WHERE t.kind = 'ClientCredentials' AND a.client_id = c.id
       AND ($2::int IS NULL OR EXISTS (SELECT FROM access_grant_child WHERE grant_id = a.id AND real_user_id = $2))
   ) g ON grant_in_force(g.ended_at, g.expires_at, $3)
   LEFT JOIN root_user u ON u.id = g.root_user_id
   WHERE t.id_hash = $1 AND t.kind IN ('AccessToken', 'ClientCredentials')
     AND (t.kind = 'ClientCredentials' OR g.id IS NOT NULL)`,
)

const noteUse = statement<never>(
  'note-use',
  `UPDATE access_grant SET last_used_at = $2
   WHERE id = ANY ($1) AND (last_used_at IS NULL OR last_used_at < $2::timestamptz - interval '1 minute')`,
)

/** Whether a bearer token is one of a service: those of accounts are JWTs, which have dots. */
export const isGrantToken = (token: string): boolean => !token.includes('.')

const selectKnown = statement<{ is_known: boolean }>(
  'granted-known',
  `SELECT EXISTS (SELECT FROM oauth_state WHERE id_hash = $1 AND kind IN ('AccessToken', 'ClientCredentials')) AS is_known`,
)

/** Refuses a token that was never given, before the body of its call is read. */
export async function assertGrantTokenExists({ database }: Context, token: string): Promise<void> {
  const [found] = await database.query(selectKnown, [tokenHash(token)])
  if (!found?.is_known) throw new Failure(...tokenErrors[0])
}

/** What a call of a service asks for. */
interface Asked {
  token: string
  /** The scopes of which one is needed; undefined is out of reach. */
  scope: AnyScope | undefined
  /** The `real_user_id` of the input, if it has a valid one. */
  realUserId: number | undefined
  /** The operation's name. */
  path: string
}

/** A service has asked for a child that nobody has granted to it. */
export class ChildNotGranted extends Failure {
  constructor() {
    super(401, 'Not authorized user')
  }
}

/**
 * The caller that a token of a service stands for: the account that has granted it. With a token of the service itself it
 * is the account that has granted the child, or without a child none (`rootUserId` 0). Throws for a token, a scope or a
 * child that is not good enough.
 */
export async function findCallerByGrantToken(ctx: Context, asked: Asked): Promise<Caller> {
  const { token, scope, realUserId } = asked
  const now = new Date()
  const found = await ctx.database.query(selectGranted, [tokenHash(token), realUserId ?? null, now])
  const [first] = found
  if (!first) throw new Failure(...tokenErrors[0])
  if (first.is_expired) throw new Failure(...tokenErrors[1])
  const tokenScopes = dataScopesOf(first.token_scopes)
  const isAmong = (some: readonly DataScope[]) => scope?.some((each) => some.includes(each)) ?? false
  /** Those of the token that the grant holds, too. */
  const scopesIn = ({ grant_scopes }: Row) => tokenScopes.filter((each) => grant_scopes?.includes(each))
  const refused = (failure: Failure) => recordRefusedAccess(ctx, first.client_id, asked, failure)
  if (!isAmong(tokenScopes)) throw refused(insufficientScope(scope))
  const isOne = !first.is_own || realUserId !== undefined
  if (isOne) {
    if (first.grant_id === null) throw refused(new ChildNotGranted())
    if (first.is_blocked) throw refused(new Failure(...accountErrors[2]))
    if (!isAmong(scopesIn(first))) throw refused(insufficientScope(scope))
  }
  const rows = found.filter((row) => row.grant_id !== null && !row.is_blocked && isAmong(scopesIn(row)))
  const grantIds = rows.flatMap(({ grant_id }) => grant_id ?? [])
  const left = ctx.limits.countGrantCall(isOne ? `grant ${grantIds.join()}` : `client ${first.client_id}`)
  for (const [name, value] of Object.entries(left)) ctx.request.responseHeader(name, value)
  const due = rows.filter(({ is_due }) => is_due).flatMap(({ grant_id }) => grant_id ?? [])
  if (due.length > 0)
    await ctx.database
      .query(noteUse, [due, now])
      .catch((err: unknown) =>
        ctx.log.warn({ err, request_id: ctx.request.id }, 'last use of a grant not updated'),
      )
  const scopesOfChild = new Map<number, ReadonlySet<DataScope>>()
  for (const row of rows) {
    const held = new Set(scopesIn(row))
    for (const child of row.children ?? []) scopesOfChild.set(child, held)
  }
  return {
    rootUserId: isOne ? (rows[0]?.root_user_id ?? 0) : 0,
    epoch: 0,
    granted: {
      clientId: first.client_id,
      scopes: new Set(rows.flatMap(scopesIn)),
      names: new Set(first.token_scopes),
      scopesOfChild,
      children: new Set(scopesOfChild.keys()),
    },
  }
}

/** Records on the trail that a service was refused a child. */
function recordRefusedAccess(
  ctx: Context,
  clientId: number,
  { realUserId, path }: Asked,
  failure: Failure,
): Failure {
  const outcome = `${failure.status} ${failure.detail}`
  const actor = { kind: 'client', id: clientId } as const
  if (realUserId !== undefined)
    ctx.trail.note(ctx, { actor, operation: path, realUserId, outcome, isChange: false })
  return failure
}

/** Whether a service calls with a token of its own, which stands for all its grants. */
export const isClientCredentialsCaller = ({ rootUserId, granted }: Caller): boolean =>
  granted !== undefined && rootUserId === 0

/** Names the scopes of which one is needed (RFC 6750, 3), if there is any. */
export const insufficientScope = (scope?: AnyScope) =>
  new Failure(...tokenErrors[2], {
    headers: {
      'www-authenticate': `Bearer error="insufficient_scope"${scope ? `, scope="${scope.join(' ')}"` : ''}`,
    },
  })
