import { z } from 'zod'
import { statement } from '../database/statement.ts'
import { noFieldsSchema } from '../http/fields.ts'
import { clientTokenEndpoint, WEBHOOK_COLUMNS, webhookSchema } from './webhook.ts'
import type { Webhook } from './webhook.ts'

const selectWebhooks = statement<Webhook>(
  'webhooks',
  `SELECT ${WEBHOOK_COLUMNS} FROM webhook WHERE client_id = $1 ORDER BY id`,
)

export const list = clientTokenEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/webhook',
    summary: 'The webhooks of the service',
    description: 'At most five, without their secrets.',
  },
  [],
)
  .input(noFieldsSchema)
  .output(z.array(webhookSchema))
  .query(({ ctx }) => ctx.database.query(selectWebhooks, [ctx.clientId]))
