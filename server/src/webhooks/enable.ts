import { z } from 'zod'
import { statement } from '../database/statement.ts'
import { id } from '../http/fields.ts'
import { clientEndpoint, isVerified, WEBHOOK, webhook, webhookSecrets } from './webhook.ts'
import type { Webhook } from './webhook.ts'

const selectReceiver = statement<{ url: string; salt: Buffer }>(
  'webhook-receiver',
  'SELECT url, salt FROM webhook WHERE id = $1 AND client_id = $2',
)

// What it was not told of is still due.
const enableOne = statement<Webhook>(
  'enable-webhook',
  `UPDATE webhook SET disabled_at = NULL,
     due_at = CASE WHEN disabled_at IS NOT NULL AND since_xact_id IS NOT NULL THEN now() ELSE due_at END
   WHERE id = $1 AND client_id = $2 RETURNING ${WEBHOOK}`,
)

export const enable = clientEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/webhook/{webhook_id}/enable',
    summary: 'Tell a disabled webhook of changes again',
    description: 'The receiver is asked to verify itself, as when the webhook was created.',
  },
  [
    [404, 'Webhook not found', 'no webhook of the service has this id'],
    [409, 'Webhook verification failed', 'the receiver has not repeated the challenge within 5 seconds'],
  ],
)
  .input(z.object({ webhook_id: id }))
  .output(webhook)
  .mutation(async ({ ctx, input: { webhook_id } }) => {
    const [receiver] = await ctx.database.query(selectReceiver, [webhook_id, ctx.clientId])
    if (!receiver) throw ctx.failure(404, 'Webhook not found')
    const secret = webhookSecrets(ctx.keys)(receiver.salt)
    if (!(await isVerified(ctx, { url: receiver.url, secret })))
      throw ctx.failure(409, 'Webhook verification failed')
    const [enabled] = await ctx.database.query(enableOne, [webhook_id, ctx.clientId])
    if (!enabled) throw ctx.failure(404, 'Webhook not found')
    return enabled
  })
