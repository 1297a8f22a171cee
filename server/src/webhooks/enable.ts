import { z } from 'zod'
import { statement } from '../database/statement.ts'
import { idField } from '../http/fields.ts'
import {
  clientTokenEndpoint,
  webhookUnverifiedError,
  verifyWebhookAgain,
  WEBHOOK_COLUMNS,
  webhookSchema,
} from './webhook.ts'
import type { Webhook } from './webhook.ts'

// What it was not told of is still due.
const enableOne = statement<Webhook>(
  'enable-webhook',
  `UPDATE webhook SET disabled_at = NULL, failing_since = NULL, last_fault = NULL,
     due_at = CASE WHEN disabled_at IS NOT NULL AND since_xact_id IS NOT NULL THEN now() ELSE due_at END
   WHERE id = $1 AND client_id = $2 RETURNING ${WEBHOOK_COLUMNS}`,
)

export const enable = clientTokenEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/webhook/{webhook_id}/enable',
    waits: true,
    summary: 'Tell a disabled webhook of changes again',
    description: 'The receiver is asked to verify itself, as when the webhook was created.',
    responseHeaders: ['X-Webhook-Fault'],
  },
  [[404, 'Webhook not found', 'no webhook of the service has this id'], webhookUnverifiedError],
)
  .input(z.object({ webhook_id: idField }))
  .output(webhookSchema)
  .mutation(async ({ ctx, input: { webhook_id } }) => {
    if (!(await verifyWebhookAgain(ctx, webhook_id))) throw ctx.failure(404, 'Webhook not found')
    const [enabled] = await ctx.database.query(enableOne, [webhook_id, ctx.clientId])
    if (!enabled) throw ctx.failure(404, 'Webhook not found')
    return enabled
  })
