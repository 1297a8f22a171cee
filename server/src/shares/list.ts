import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { childWithRoleSql } from '../auth/child-role.ts'
import { indistinctChildErrors } from '../children/real-user.ts'
import { statement } from '../database/statement.ts'
import { isoTimestampSql } from '../database/wire-time.ts'
import { idField } from '../http/fields.ts'
import type { Role } from '../http/right.ts'
import { today } from '../time/wall-clock.ts'
import { invitationSchema } from './invitation.ts'
import { memberRoleSchema, timestampSchema, membershipUntilSchema } from './member.ts'

const member = z
  .object({
    share_id: z.int(),
    role: memberRoleSchema,
    first_name: z.string(),
    email: z.string(),
    since: timestampSchema,
    until: membershipUntilSchema,
  })
  .meta({ id: 'Member', description: 'Somebody with whom a child is shared' })

const transfer = z
  .object({
    owner: z.string().meta({ description: 'The first name of the owner who offers' }),
    share_id: z.int().meta({ description: 'The membership of the guardian' }),
    offered_at: timestampSchema.meta({ description: 'When the offer was made' }),
    expires_at: timestampSchema.meta({ description: 'Seven days after it was made' }),
  })
  .meta({ id: 'OpenTransfer', description: 'An open offer of the child to a guardian' })

const response = z
  .object({
    transfer: transfer
      .optional()
      .meta({ description: 'If there is one; shown to the owner, and to the guardian whom it is for' }),
    members: z
      .array(member)
      .meta({ description: "In the order of `since`; for a member, the caller's alone" }),
    invitations: z
      .array(invitationSchema)
      .meta({ description: 'Open ones, in the order of `created_at`; none for a member' }),
  })
  .meta({ id: 'Shares', description: 'Who may see a child besides its owner' })

const selectShares = statement<z.infer<typeof response> & { role: Role | null }>(
  'shares',
  `SELECT child.role, transfer.offer AS transfer, members.list AS members, invitations.list AS invitations
   FROM (${childWithRoleSql('$2', '$1', '$3::date')}) child
   JOIN root_user owner ON owner.id = child.root_user_id
   LEFT JOIN LATERAL (
     SELECT json_build_object('owner', owner.first_name, 'share_id', m.id, 'offered_at', ${isoTimestampSql('o.offered_at')}, 'expires_at', ${isoTimestampSql('o.expires_at')}) AS offer
     FROM transfer_offer o JOIN live_child_memberships($3::date) m ON m.id = o.membership_id
     WHERE o.real_user_id = child.id AND o.expires_at > $4 AND (child.role = 'owner' OR m.root_user_id = $1)
   ) transfer ON true
   CROSS JOIN LATERAL (
     SELECT coalesce(json_agg(json_build_object('share_id', m.id, 'role', m.role, 'first_name', u.first_name,
       'email', coalesce(u.email, ''), 'since', ${isoTimestampSql('m.since')}, 'until', m.until) ORDER BY m.since, m.id), '[]') AS list
     FROM live_child_memberships($3::date) m JOIN root_user u ON u.id = m.root_user_id
     WHERE m.real_user_id = child.id AND (child.role = 'owner' OR m.root_user_id = $1)
   ) members
   CROSS JOIN LATERAL (
     SELECT coalesce(json_agg(json_build_object('invitation_id', i.id, 'role', i.role, 'email', i.email, 'until', i.until,
       'created_at', ${isoTimestampSql('i.created_at')}, 'expires_at', ${isoTimestampSql('i.expires_at')}) ORDER BY i.created_at, i.id), '[]') AS list
     FROM invitation i
     WHERE i.real_user_id = child.id AND child.role = 'owner' AND i.expires_at > $4 AND (i.until IS NULL OR i.until >= $3)
   ) invitations`,
)

export const list = accountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/share',
    right: 'viewer',
    summary: 'Who may see a child besides its owner, and who is invited',
    description:
      'Members are in the order of `since`, open invitations in that of `created_at`. A member sees their own entry alone, and no invitations.',
  },
  indistinctChildErrors,
)
  .input(z.object({ real_user_id: idField }))
  .output(response)
  .query(async ({ ctx, input: { real_user_id } }) => {
    const values = [ctx.caller.rootUserId, real_user_id, today(ctx.timeZone), new Date()]
    const [found] = await ctx.database.query(selectShares, values)
    if (!found || !ctx.mayAccess(found.role, real_user_id)) throw ctx.failure(401, 'Not authorized user')
    const { keyRing } = ctx.database
    const members = found.members.map((each) => ({
      ...each,
      first_name: keyRing.decrypt('root_user.first_name', each.first_name),
      email: keyRing.decrypt('root_user.email', each.email),
    }))
    const invitations = found.invitations.map((each) => ({
      ...each,
      email: keyRing.decrypt('invitation.email', each.email),
    }))
    const { transfer } = found
    const offer = transfer && {
      transfer: { ...transfer, owner: keyRing.decrypt('root_user.first_name', transfer.owner) },
    }
    return { members, invitations, ...offer }
  })
