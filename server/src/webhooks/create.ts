import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { statement } from '../database/statement.ts'
import { text } from '../http/fields.ts'
import {
  clientEndpoint,
  isVerified,
  SALT_BYTES,
  WEBHOOK,
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
   RETURNING ${WEBHOOK}`,
)

const countWebhooks = statement<{ has_room: boolean }>(
  'count-webhooks',
  `SELECT may_add_webhook($1, ${MOST_WEBHOOKS}) AS has_room`,
)

export const create = clientEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/webhook',
    summary: 'Be told when there are changes',
    description: `For a service, with a token of its own (client_credentials). The receiver is first asked to verify itself: it gets
\`{"type": "webhook.verify", "timestamp", "data": {"challenge"}}\` and answers 2xx with \`{"challenge"}\`. A message about
changes is \`{"type": "changes.available", "timestamp", "data": {"cursor"}}\`, at most one a second; the changes behind that
cursor are the news. Messages are signed by Standard Webhooks.`,
  },
  [
    [409, 'Too many webhooks', 'a service has at most five'],
    [409, 'Webhook verification failed', 'the receiver has not repeated the challenge within 5 seconds'],
  ],
)
  .input(
    z.object({
      url: text({ least: 1, most: 1000 })
        .refine((url) => URL.canParse(url), { error: 'must be a URL' })
        .meta({ format: 'uri', examples: ['https://study.example.org/companion'] }),
    }),
  )
  .output(webhookWithSecret)
  .mutation(async ({ ctx, input: { url } }) => {
    const [room] = await ctx.database.query(countWebhooks, [ctx.clientId])
    if (!room?.has_room) throw ctx.failure(409, 'Too many webhooks')
    const salt = randomBytes(SALT_BYTES)
    const secret = webhookSecrets(ctx.keys)(salt)
    if (!(await isVerified(ctx, { url, secret }))) throw ctx.failure(409, 'Webhook verification failed')
    const [created] = await ctx.database.query(insertWebhook, [ctx.clientId, url, salt])
    if (!created) throw ctx.failure(409, 'Too many webhooks')
    return { ...created, secret }
  })
