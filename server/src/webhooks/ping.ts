import { z } from 'zod'
import { id, message } from '../http/fields.ts'
import { clientEndpoint, unverified, verifyAgain } from './webhook.ts'

export const ping = clientEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/webhook/{webhook_id}/ping',
    waits: true,
    summary: 'Try a webhook out',
    description: `The receiver is asked to verify itself, as when the webhook was created. Nothing changes, whatever it answers; a
disabled webhook stays so.`,
    responseHeaders: ['X-Webhook-Fault'],
  },
  [[404, 'Webhook not found', 'no webhook of the service has this id'], unverified],
)
  .input(z.object({ webhook_id: id }))
  .output(message)
  .mutation(async ({ ctx, input: { webhook_id } }) => {
    if (!(await verifyAgain(ctx, webhook_id))) throw ctx.failure(404, 'Webhook not found')
    return { statusCode: 200 as const, message: 'The receiver has verified itself' }
  })
