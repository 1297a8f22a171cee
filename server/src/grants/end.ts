import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { lockAccount } from '../auth/account-lock.ts'
import { recordSecurityEvent } from '../auth/security-record.ts'
import { idField, messageResponseSchema } from '../http/fields.ts'
import { endGrant } from './grant.ts'

export const end = accountEndpoint(
  {
    method: 'DELETE',
    path: '/api/v1/beta/grant/{grant_id}',
    right: 'self',
    summary: 'Disconnect a service',
    description: 'Its next request is refused, whatever token it has.',
  },
  [[404, 'Grant not found', "no grant in force has this id, or it is another account's"]],
)
  .input(z.object({ grant_id: idField }))
  .output(messageResponseSchema)
  .mutation(async ({ ctx, input: { grant_id } }) => {
    const { rootUserId } = ctx.caller
    await ctx.database.transaction(async (sql) => {
      await lockAccount(sql, rootUserId)
      const children = await endGrant(sql, { grantId: grant_id, rootUserId })
      if (!children) throw ctx.failure(404, 'Grant not found')
      for (const child of children) ctx.touches(child)
      await recordSecurityEvent(sql, ctx, { action: 'grant_end', rootUserId, reason: `grant ${grant_id}` })
    })
    return { statusCode: 200 as const, message: 'Grant ended' }
  })
