import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { lockAccount } from '../auth/account-lock.ts'
import { recordSecurityEvent } from '../auth/security-record.ts'
import { idField, messageResponseSchema } from '../http/fields.ts'

export const withdraw = accountEndpoint(
  {
    method: 'DELETE',
    path: '/api/v1/beta/share/invitation/{invitation_id}',
    right: 'owner',
    summary: 'Withdraw an invitation',
    description: 'Its link is void at once.',
  },
  [[404, 'Invitation not found', 'the account has no such open invitation: it may have been accepted']],
)
  .input(z.object({ invitation_id: idField }))
  .output(messageResponseSchema)
  .mutation(async ({ ctx, input: { invitation_id } }) => {
    const { rootUserId } = ctx.caller
    await ctx.database.transaction(async (sql) => {
      await lockAccount(sql, rootUserId)
      const withdrawn = await sql
        .deleteFrom('invitation')
        .using('real_user')
        .whereRef('real_user.id', '=', 'invitation.real_user_id')
        .where('invitation.id', '=', invitation_id)
        .where('root_user_id', '=', rootUserId)
        .returning('real_user_id')
        .executeTakeFirst()
      if (!withdrawn) throw ctx.failure(404, 'Invitation not found')
      ctx.touches(withdrawn.real_user_id)
      const reason = `child ${withdrawn.real_user_id}, invitation ${invitation_id}`
      await recordSecurityEvent(sql, ctx, { action: 'share_withdraw', rootUserId, reason })
    })
    return { statusCode: 200 as const, message: 'Invitation withdrawn' }
  })
