import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { statement } from '../database/statement.ts'
import { idField } from '../http/fields.ts'
import {
  clientTokenEndpoint,
  WEBHOOK_SALT_BYTES,
  WEBHOOK_COLUMNS,
  webhookSecrets,
  webhookWithSecret,
} from './webhook.ts'
import type { Webhook } from './webhook.ts'

const rotate = statement<Webhook>(
  'rotate-webhook-secret',
  `UPDATE webhook SET salt = $3, previous_salt = salt, previous_until = now() + interval '24 hours'
   WHERE id = $1 AND client_id = $2 RETURNING ${WEBHOOK_COLUMNS}`,
)

export const rotateSecret = clientTokenEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/webhook/{webhook_id}/rotate-secret',
    summary: 'Replace the secret of a webhook',
    description: 'For 24 hours messages have two signatures, one by each secret.',
  },
  [[404, 'Webhook not found', 'no webhook of the service has this id']],
)
  .input(z.object({ webhook_id: idField }))
  .output(webhookWithSecret)
  .mutation(async ({ ctx, input: { webhook_id } }) => {
    const salt = randomBytes(WEBHOOK_SALT_BYTES)
    const [rotated] = await ctx.database.query(rotate, [webhook_id, ctx.clientId, salt])
    if (!rotated) throw ctx.failure(404, 'Webhook not found')
    return { ...rotated, secret: webhookSecrets(ctx.keys)(salt) }
  })
