import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { Basestation, BasestationConnection } from '../entities/entities.ts'
import { idField, messageResponseSchema } from '../http/fields.ts'

export const disconnect = accountEndpoint(
  {
    method: 'DELETE',
    path: '/api/v1/beta/basestation/{basestation_id}',
    right: 'self',
    summary: 'Disconnect a base station from the account',
    description: 'Its measurements stay with the account.',
  },
  [
    [403, 'This device does not belong to the user', 'another account has it, or nobody'],
    [404, 'Device not found', 'no such base station'],
  ],
)
  .input(z.object({ basestation_id: idField }))
  .output(messageResponseSchema)
  .mutation(async ({ ctx, input: { basestation_id } }) => {
    await ctx.database.transaction(async (sql, em) => {
      const home = await sql
        .selectFrom('basestation')
        .leftJoin('real_user', (join) =>
          join
            .onRef('real_user.root_user_id', '=', 'basestation.root_user_id')
            .on('real_user.deleted_at', 'is', null),
        )
        .select('real_user.id as child')
        .where('basestation.id', '=', basestation_id)
        .execute()
      for (const { child } of home) if (child !== null) ctx.touches(child)
      const own = { id: basestation_id, root_user_id: ctx.caller.rootUserId }
      if ((await em.nativeUpdate(Basestation, own, { root_user_id: null, connected_at: null })) === 0) {
        throw home.length > 0
          ? ctx.failure(403, 'This device does not belong to the user')
          : ctx.failure(404, 'Device not found')
      }
      const open = { basestation_id, disconnected_at: null }
      await em.nativeUpdate(BasestationConnection, open, { disconnected_at: new Date() })
    })
    return { statusCode: 200 as const, message: 'Base station disconnected' }
  })
