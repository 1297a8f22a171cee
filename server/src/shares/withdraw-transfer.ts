import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { lockAccount } from '../auth/account-lock.ts'
import { recordSecurityEvent } from '../auth/security-record.ts'
import { Failure } from '../errors/failure.ts'
import { idField, messageResponseSchema } from '../http/fields.ts'
import { noTransfer } from './transfer-offer.ts'

export const withdrawTransfer = accountEndpoint(
  {
    method: 'DELETE',
    path: '/api/v1/beta/share/transfer',
    right: 'guardian',
    summary: 'Withdraw or decline the offer of a child',
    description: 'By the owner, or by the guardian to whom the child is offered.',
  },
  [noTransfer],
)
  .input(z.object({ real_user_id: idField }))
  .output(messageResponseSchema)
  .mutation(async ({ ctx, input: { real_user_id } }) => {
    const { rootUserId } = ctx.caller
    await ctx.database.transaction(async (tx) => {
      await lockAccount(tx, rootUserId)
      const withdrawn = await tx
        .deleteFrom('transfer_offer')
        .using(['membership', 'real_user'])
        .whereRef('membership.id', '=', 'transfer_offer.membership_id')
        .whereRef('real_user.id', '=', 'transfer_offer.real_user_id')
        .where('transfer_offer.real_user_id', '=', real_user_id)
        .where('transfer_offer.expires_at', '>', new Date())
        .where('membership.ended_at', 'is', null)
        .where((row) =>
          row.or([
            row('membership.root_user_id', '=', rootUserId),
            row('real_user.root_user_id', '=', rootUserId),
          ]),
        )
        .returning('membership_id')
        .executeTakeFirst()
      if (!withdrawn) throw new Failure(...noTransfer)
      ctx.touches(real_user_id)
      const reason = `child ${real_user_id}, share ${withdrawn.membership_id}`
      await recordSecurityEvent(tx, ctx, { action: 'transfer_withdraw', rootUserId, reason })
    })
    return { statusCode: 200 as const, message: 'Transfer withdrawn' }
  })
