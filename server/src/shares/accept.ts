import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { lockAccount } from '../auth/account-lock.ts'
import { notifyAccountHolder } from '../auth/notice.ts'
import { recordSecurityEvent } from '../auth/security-record.ts'
import { lockChild } from '../children/child-lock.ts'
import { Failure } from '../errors/failure.ts'
import { accountErrors } from '../errors/generic.ts'
import { today } from '../time/wall-clock.ts'
import { findOpenInvitation, consumeInvitation } from './invitation.ts'
import { memberRoleSchema, membershipUntilSchema } from './member.ts'

export const accept = accountEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/share/accept',
    right: 'self',
    summary: 'Accept an invitation to a child',
    description: 'The owner of the child gets a notice by mail, which names who has accepted.',
  },
  [
    [400, 'Invitation is invalid', 'it is unknown, used, withdrawn or older than seven days'],
    [
      409,
      'Already shared',
      "the child is the account's own, or the account is a member of it; the invitation stays open",
    ],
  ],
)
  .input(
    z.object({ token: z.string().meta({ description: 'The parameter `token` of the link in the mail' }) }),
  )
  .output(
    z
      .object({
        share_id: z.int(),
        real_user_id: z.int(),
        role: memberRoleSchema,
        until: membershipUntilSchema,
      })
      .meta({ id: 'AcceptedShare', description: 'What the account is now to the child' }),
  )
  .mutation(async ({ ctx, input: { token } }) => {
    const { rootUserId } = ctx.caller
    const date = today(ctx.timeZone)
    const { owner, member, ...accepted } = await ctx.database.transaction(async (sql) => {
      // It was there when the token was checked: a parallel call has deleted it.
      const member = await lockAccount(sql, rootUserId)
      if (!member) throw new Failure(...accountErrors[1])
      const offered = await findOpenInvitation(sql, token, date)
      const child = offered && (await lockChild(sql, offered.real_user_id, 'update'))
      // After the lock, because a transaction that held it may have deleted the child.
      const invitation = child && (await consumeInvitation(sql, token, date))
      if (!invitation) throw ctx.failure(400, 'Invitation is invalid')
      const { real_user_id, role, until } = invitation
      if (child.root_user_id === rootUserId) throw ctx.failure(409, 'Already shared')
      const earlier = sql
        .updateTable('membership')
        .set({ ended_at: new Date() })
        .where('root_user_id', '=', rootUserId)
        .where('real_user_id', '=', real_user_id)
        .where('ended_at', 'is', null)
      await earlier.where('until', '<', date).execute()
      const membership = await sql
        .insertInto('membership')
        .values({ real_user_id, root_user_id: rootUserId, role, until, since: new Date() })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst()
      if (!membership) throw ctx.failure(409, 'Already shared')
      ctx.touches(real_user_id)
      const reason = `${role} of child ${real_user_id}, share ${membership.id}`
      await recordSecurityEvent(sql, ctx, { action: 'share_accept', rootUserId, reason })
      const owner = await sql
        .selectFrom('root_user')
        .select(['email', 'language', 'national_code'])
        .where('id', '=', child.root_user_id)
        .executeTakeFirstOrThrow()
      return { owner, member, share_id: membership.id, real_user_id, role, until }
    })
    const name = ctx.database.keyRing.decrypt('root_user.first_name', member.first_name)
    await notifyAccountHolder(ctx, { kind: 'member_added', name }, owner)
    return accepted
  })
