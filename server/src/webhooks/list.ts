import { z } from 'zod'
import { statement } from '../database/statement.ts'
import { noFields } from '../http/fields.ts'
import { clientEndpoint, WEBHOOK, webhook } from './webhook.ts'
import type { Webhook } from './webhook.ts'

const selectWebhooks = statement<Webhook>(
  'webhooks',
  `SELECT ${WEBHOOK} FROM webhook WHERE client_id = $1 ORDER BY id`,
)

export const list = clientEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/webhook',
    summary: 'The webhooks of the service',
    description: 'At most five, without their secrets.',
  },
  [],
)
  .input(noFields)
  .output(z.array(webhook))
  .query(({ ctx }) => ctx.database.query(selectWebhooks, [ctx.clientId]))
