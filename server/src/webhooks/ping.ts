import { z } from 'zod'
import { idField, messageResponseSchema } from '../http/fields.ts'
import { clientTokenEndpoint, webhookUnverifiedError, verifyWebhookAgain } from './webhook.ts'

export const ping = clientTokenEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/webhook/{webhook_id}/ping',
    waits: true,
    summary: 'Try a webhook out',
    description: `The receiver is asked to verify itself, as when the webhook was created. Nothing changes, whatever it answers; a
disabled webhook stays so.`,
    responseHeaders: ['X-Webhook-Fault'],
  },
  [[404, 'Webhook not found', 'no webhook of the service has this id'], webhookUnverifiedError],
)
  .input(z.object({ webhook_id: idField }))
  .output(messageResponseSchema)
  .mutation(async ({ ctx, input: { webhook_id } }) => {
    if (!(await verifyWebhookAgain(ctx, webhook_id))) throw ctx.failure(404, 'Webhook not found')
    return { statusCode: 200 as const, message: 'The receiver has verified itself' }
  })
