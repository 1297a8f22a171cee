import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { statement } from '../database/statement.ts'
import { textField } from '../http/fields.ts'
import {
  clientTokenEndpoint,
  challengeReceiver,
  WEBHOOK_SALT_BYTES,
  webhookUnverifiedError,
  WEBHOOK_COLUMNS,
  webhookSecrets,
  webhookWithSecret,
} from './webhook.ts'
import type { Webhook } from './webhook.ts'

const MOST_WEBHOOKS = 5

// The lock makes calls of one client at once count one after the other.
const insertWebhook = statement<Webhook>(
  'insert-webhook',
  `WITH locked AS MATERIALIZED (SELECT id FROM client WHERE id = $1 FOR NO KEY UPDATE)
   INSERT INTO webhook (client_id, url, salt) SELECT id, $2, $3 FROM locked WHERE may_add_webhook(id, ${MOST_WEBHOOKS})
   ON CONFLICT (client_id, hashtextextended(url, 0)) DO NOTHING RETURNING ${WEBHOOK_COLUMNS}`,
)

const selectObstacle = statement<{ obstacle: 'Already registered webhook' | 'Too many webhooks' | null }>(
  'webhook-obstacle',
  `SELECT CASE
     WHEN EXISTS (SELECT FROM webhook WHERE client_id = $1 AND hashtextextended(url, 0) = hashtextextended($2, 0))
       THEN 'Already registered webhook'
     WHEN NOT may_add_webhook($1, ${MOST_WEBHOOKS}) THEN 'Too many webhooks' END AS obstacle`,
)

export const create = clientTokenEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/webhook',
    waits: true,
    summary: 'Be told when there are changes',
    description: `For a service, with a token of its own (client_credentials). The receiver is first asked to verify itself: it gets
\`{"type": "webhook.verify", "timestamp", "data": {"challenge"}}\` and answers 2xx with \`{"challenge"}\`. A message about
changes is \`{"type": "changes.available", "timestamp", "data": {"cursor"}}\`, at most one a second; the changes behind that
cursor are the news. Messages are signed by Standard Webhooks.`,
    responseHeaders: ['X-Webhook-Fault'],
  },
  [
    [409, 'Too many webhooks', 'a service has at most five'],
    [409, 'Already registered webhook', 'a webhook of the service has this address'],
    webhookUnverifiedError,
  ],
)
  .input(
    z.object({
      url: textField({ least: 1, most: 1000 })
        .refine((url) => URL.canParse(url), { error: 'must be a URL' })
        .meta({ format: 'uri', examples: ['https://study.example.org/companion'] }),
    }),
  )
  .output(webhookWithSecret)
  .mutation(async ({ ctx, input: { url } }) => {
    const assertRoom = async () => {
      const [{ obstacle } = { obstacle: null }] = await ctx.database.query(selectObstacle, [
        ctx.clientId,
        url,
      ])
      if (obstacle) throw ctx.failure(409, obstacle)
    }
    await assertRoom()
    const salt = randomBytes(WEBHOOK_SALT_BYTES)
    const secret = webhookSecrets(ctx.keys)(salt)
    await challengeReceiver(ctx, { url, secret })
    const [created] = await ctx.database.query(insertWebhook, [ctx.clientId, url, salt])
    if (created) return { ...created, secret }
    await assertRoom()
    // What stood in the way has just gone.
    throw ctx.failure(409, 'Too many webhooks')
  })
