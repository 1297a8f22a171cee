import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { emailConditionSql } from '../encrypted-columns/lookup.ts'
import { ACCESS_HOUR_SQL, ACCESS_BY_OTHERS_SQL } from '../trail/accesses.ts'

interface Wanted {
  /** Of this child alone. */
  realUserId?: number | undefined
  /** Of this account alone, as owner or as member. */
  email?: string | undefined
  limit: number
}

/** The memberships that are wanted, those that have ended too, the newest first. */
export async function readMemberships({ sql: tx, keyRing }: Database, { realUserId, email, limit }: Wanted) {
  const memberships = await tx
    .selectFrom('membership')
    .innerJoin('real_user', 'real_user.id', 'membership.real_user_id')
    .innerJoin('root_user as owner', 'owner.id', 'real_user.root_user_id')
    .innerJoin('root_user as member', 'member.id', 'membership.root_user_id')
    .select([
      'membership.id as share_id',
      'membership.real_user_id',
      'membership.role',
      'owner.email as owner',
      'member.id as root_user_id',
      'member.email as member',
      'since',
      'until',
      'ended_at',
    ])
    .$if(realUserId !== undefined, (query) => query.where('real_user.id', '=', realUserId ?? 0))
    .$if(email !== undefined, (query) =>
      query.where((row) =>
        row.or([
          emailConditionSql(keyRing, email ?? '', 'owner'),
          emailConditionSql(keyRing, email ?? '', 'member'),
        ]),
      ),
    )
    .orderBy('membership.id', 'desc')
    .limit(limit)
    .execute()
  return memberships.map((each) => ({
    ...each,
    owner: keyRing.decrypt('root_user.email', each.owner),
    member: keyRing.decrypt('root_user.email', each.member),
  }))
}

/** The invitations that are wanted and have not been used, the newest first. */
export async function readInvitations({ sql: tx, keyRing }: Database, { realUserId, email, limit }: Wanted) {
  const invitations = await tx
    .selectFrom('invitation')
    .innerJoin('real_user', 'real_user.id', 'invitation.real_user_id')
    .innerJoin('root_user as owner', 'owner.id', 'real_user.root_user_id')
    .select([
      'invitation.id as invitation_id',
      'invitation.real_user_id',
      'invitation.role',
      'owner.email as owner',
      'invitation.email',
      'until',
      'invitation.created_at',
      'expires_at',
    ])
    .$if(realUserId !== undefined, (query) => query.where('real_user.id', '=', realUserId ?? 0))
    .$if(email !== undefined, (query) =>
      query.where((row) =>
        row.or([
          emailConditionSql(keyRing, email ?? '', 'owner'),
          emailConditionSql(keyRing, email ?? '', 'invitation'),
        ]),
      ),
    )
    .orderBy('invitation.id', 'desc')
    .limit(limit)
    .execute()
  return invitations.map((each) => ({
    ...each,
    owner: keyRing.decrypt('root_user.email', each.owner),
    email: keyRing.decrypt('invitation.email', each.email),
  }))
}

interface OperatorsAccess {
  hour: Date
  root_user_id: number | null
  member: string | null
  client_id: string | null
  operation: string
  times: number
}

/**
 * What members and other services have done with a child's data, the newest first; a deleted account has no e-mail, and a removed
 * service no id any more.
 */
export async function readAccesses(
  { sql: tx, keyRing }: Database,
  { realUserId, since, limit }: { realUserId: number; since?: Date | undefined; limit: number },
): Promise<OperatorsAccess[]> {
  const { rows } = await sql<OperatorsAccess>`
    SELECT ${sql.raw(ACCESS_HOUR_SQL)} AS hour, max(u.id) AS root_user_id, max(u.email) AS member, max(c.client_id) AS client_id,
      a.operation, sum(a.times)::int AS times
    FROM trail a
    LEFT JOIN root_user u ON a.actor_kind = 'member' AND u.id = a.actor::int
    LEFT JOIN client c ON a.actor_kind = 'client' AND c.id = a.actor::int
    WHERE a.real_user_id = ${realUserId} AND ${sql.raw(ACCESS_BY_OTHERS_SQL)} AND ${sql.raw(ACCESS_HOUR_SQL)} >= ${since ?? new Date(0)}
    GROUP BY hour, a.actor_kind, a.actor, a.operation
    ORDER BY hour DESC, root_user_id DESC, client_id DESC, operation DESC
    LIMIT ${limit}`.execute(tx)
  return rows.map((row) => ({
    ...row,
    hour: new Date(row.hour),
    member: keyRing.decrypt('root_user.email', row.member),
  }))
}
