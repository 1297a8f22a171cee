import { z } from 'zod'
import {
  changesAvailableSchema,
  webhookChallengeResponseSchema,
  webhookVerificationSchema,
} from '../delivery/webhook-event.ts'
import type { Paths } from './parts.ts'

const messages = {
  ChangesAvailable: changesAvailableSchema,
  WebhookVerify: webhookVerificationSchema,
  WebhookVerified: webhookChallengeResponseSchema,
}

/** The schemas of what webhooks are sent and answer, by their names. */
export const webhookSchemas = Object.fromEntries(
  Object.entries(messages).map(([name, message]) => {
    const { $schema: _draft, ...schema } = z.toJSONSchema(message)
    return [name, schema]
  }),
)

const reference = (name: keyof typeof messages) => ({ $ref: `#/components/schemas/${name}` })

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header' as const,
  description,
  required: true,
  schema: { type: 'string' as const, examples: [example] },
})

interface Message {
  type: string
  body: keyof typeof messages
  summary: string
  description: string
  responses: object
}

const described = ({ type, body, summary, description, responses }: Message) => ({
  post: {
    tags: ['webhooks'],
    operationId: type,
    summary,
    description,
    security: [],
    parameters: [
      header('webhook-id', 'The same for every try of a message', '5d1c7c0e-8a53-4c6f-9a27-0f9b7f0c8f11'),
      header('webhook-timestamp', 'When this try was sent, in seconds since 1970', '1772399096'),
      header(
        'webhook-signature',
        'By Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`; two with a space between while the secret is replaced',
        'v1,4d1/0W5f9Zk2Qx7+Yp3T8Rb6Vn0Lc5Hs1Gm9Jt2Ka4=',
      ),
    ],
    requestBody: { required: true, content: { 'application/json': { schema: reference(body) } } },
    responses,
  },
})

const changes = described({
  type: 'changes.available',
  body: 'ChangesAvailable',
  summary: 'There are changes',
  description: `\`GET /api/v1/beta/changes\` has them. At most one message a second; one that is not accepted is tried again for 24 hours. The same
message may come twice.`,
  responses: {
    '2XX': { description: 'Accepted, within 5 seconds' },
    410: { description: 'Not wanted any more: the webhook is disabled at once' },
    default: {
      description:
        'Not accepted. It is tried again after 5 seconds, doubling to an hour; `Retry-After` is respected',
    },
  },
})

const verification = described({
  type: 'webhook.verify',
  body: 'WebhookVerify',
  summary: 'Are you the one?',
  description: `Sent by \`POST /api/v1/beta/webhook\`, \`POST /api/v1/beta/webhook/{webhook_id}/enable\` and
\`POST /api/v1/beta/webhook/{webhook_id}/ping\`, which fail where the challenge does not come back.`,
  responses: {
    '2XX': {
      description: 'The challenge again, within 5 seconds',
      content: { 'application/json': { schema: reference('WebhookVerified') } },
    },
    default: { description: 'Not verified' },
  },
})

/** What the service sends to webhooks, by the type of the message (OpenAPI 3.1, `webhooks`). */
export const webhookMessages: Paths = {
  [changes.post.operationId]: changes,
  [verification.post.operationId]: verification,
}
