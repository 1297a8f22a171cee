import { z } from 'zod'
import { statement } from '../database/statement.ts'
import { idField, messageResponseSchema } from '../http/fields.ts'
import { clientTokenEndpoint } from './webhook.ts'

const deleteOne = statement<{ id: number }>(
  'delete-webhook',
  'DELETE FROM webhook WHERE id = $1 AND client_id = $2 RETURNING id',
)

export const deleteWebhook = clientTokenEndpoint(
  {
    method: 'DELETE',
    path: '/api/v1/beta/webhook/{webhook_id}',
    summary: 'Delete a webhook',
    description: 'It is told of no further changes. A message that is on its way may still arrive.',
  },
  [[404, 'Webhook not found', 'no webhook of the service has this id']],
)
  .input(z.object({ webhook_id: idField }))
  .output(messageResponseSchema)
  .mutation(async ({ ctx, input: { webhook_id } }) => {
    const deleted = await ctx.database.query(deleteOne, [webhook_id, ctx.clientId])
    if (deleted.length === 0) throw ctx.failure(404, 'Webhook not found')
    return { statusCode: 200 as const, message: 'Webhook deleted' }
  })
