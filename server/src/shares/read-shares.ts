import type { Sql } from '../database/database.ts'

interface Wanted {
  /** Of this child alone. */
  realUserId?: number | undefined
  /** Of this account alone, as owner or as member. */
  email?: string | undefined
  limit: number
}

/** The memberships that are wanted, those that have ended too, the newest first. */
export const readMemberships = (sql: Sql, { realUserId, email, limit }: Wanted) =>
  sql
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
        row.or(
          (['owner.email', 'member.email'] as const).map((column) =>
            row(row.fn<string>('lower', [column]), '=', email?.toLowerCase() ?? ''),
          ),
        ),
      ),
    )
    .orderBy('membership.id', 'desc')
    .limit(limit)
    .execute()

/** The invitations that are wanted and have not been used, the newest first. */
export const readInvitations = (sql: Sql, { realUserId, email, limit }: Wanted) =>
  sql
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
        row.or(
          (['owner.email', 'invitation.email'] as const).map((column) =>
            row(row.fn<string>('lower', [column]), '=', email?.toLowerCase() ?? ''),
          ),
        ),
      ),
    )
    .orderBy('invitation.id', 'desc')
    .limit(limit)
    .execute()

/** What members have done with a child's data, the newest first; a deleted account has no e-mail any more. */
export const readAccesses = (
  sql: Sql,
  { realUserId, since, limit }: { realUserId: number; since?: Date | undefined; limit: number },
) =>
  sql
    .selectFrom('child_access')
    .leftJoin('root_user', 'root_user.id', 'child_access.member_id')
    .select(['hour', 'member_id as root_user_id', 'root_user.email as member', 'operation', 'times'])
    .where('real_user_id', '=', realUserId)
    .$if(since !== undefined, (query) => query.where('hour', '>=', since ?? new Date()))
    .orderBy('hour', 'desc')
    .orderBy('member_id', 'desc')
    .orderBy('operation', 'desc')
    .limit(limit)
    .execute()
