import { sql } from 'kysely'
import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { lockAccount } from '../auth/account-lock.ts'
import { recordSecurityEvent } from '../auth/security-record.ts'
import { idField, messageResponseSchema } from '../http/fields.ts'
import { today } from '../time/wall-clock.ts'

export const end = accountEndpoint(
  {
    method: 'DELETE',
    path: '/api/v1/beta/share/{share_id}',
    right: 'viewer',
    summary: 'End a membership',
    description:
      "By the child's owner or by the member. The next request of the member is refused; one who has not ended it gets a mail.",
  },
  [[404, 'Share not found', "no membership in force has this id, or it is another's"]],
)
  .input(z.object({ share_id: idField }))
  .output(messageResponseSchema)
  .mutation(async ({ ctx, input: { share_id } }) => {
    const { rootUserId } = ctx.caller
    await ctx.database.transaction(async (tx) => {
      await lockAccount(tx, rootUserId)
      const { rows } = await sql<{ real_user_id: number }>`
        WITH ended AS (
          UPDATE membership m SET ended_at = ${new Date()} FROM real_user r
          WHERE m.id = ${share_id} AND m.ended_at IS NULL AND m.id IN (SELECT id FROM live_child_memberships(${today(ctx.timeZone)}))
            AND r.id = m.real_user_id AND ${rootUserId}::int IN (m.root_user_id, r.root_user_id)
          RETURNING m.root_user_id, m.real_user_id
        )
        SELECT real_user_id, tell_access_ended(array_remove(ARRAY[root_user_id], ${rootUserId}::int), real_user_id) FROM ended`.execute(
        tx,
      )
      const [ended] = rows
      if (!ended) throw ctx.failure(404, 'Share not found')
      ctx.touches(ended.real_user_id)
      const reason = `child ${ended.real_user_id}, share ${share_id}`
      await recordSecurityEvent(tx, ctx, { action: 'share_end', rootUserId, reason })
    })
    return { statusCode: 200 as const, message: 'Membership ended' }
  })
