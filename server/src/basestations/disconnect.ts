import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { id, message } from '../http/fields.ts'

export const disconnect = accountEndpoint(
  {
    method: 'DELETE',
    path: '/api/v1/beta/basestation/{basestation_id}',
    summary: 'Disconnect a base station from the account',
    description: 'What it has measured stays with the account.',
  },
  [
    [403, 'This device does not belong to the user', 'another account has it, or nobody'],
    [404, 'Device not found', 'no such base station'],
  ],
)
  .input(z.object({ basestation_id: id }))
  .output(message)
  .mutation(async ({ ctx, input: { basestation_id } }) => {
    await ctx.database.transaction(async (sql) => {
      const freed = await sql
        .updateTable('basestation')
        .set({ root_user_id: null, connected_at: null })
        .where('id', '=', basestation_id)
        .where('root_user_id', '=', ctx.caller.rootUserId)
        .returning('id')
        .executeTakeFirst()
      if (!freed) {
        const known = await sql
          .selectFrom('basestation')
          .select('id')
          .where('id', '=', basestation_id)
          .executeTakeFirst()
        throw known
          ? ctx.failure(403, 'This device does not belong to the user')
          : ctx.failure(404, 'Device not found')
      }
      await sql
        .updateTable('basestation_connection')
        .set({ disconnected_at: new Date() })
        .where('basestation_id', '=', basestation_id)
        .where('disconnected_at', 'is', null)
        .execute()
    })
    return { statusCode: 200 as const, message: 'Base station disconnected' }
  })
