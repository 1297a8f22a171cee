import { deriveKeys } from '@companion/server/auth/keys.ts'
import { positionBeforeTransaction, encodeFeedCursor } from '@companion/server/changes/feed-cursor.ts'
import { createSenders } from '@companion/server/delivery/configured.ts'
import { startNotifyingWebhooks } from '@companion/server/delivery/notify-webhooks.ts'
import { createLogger } from '@companion/server/telemetry/log.ts'
import { webhookSecrets } from '@companion/server/webhooks/webhook.ts'
import type { TestResponse } from './client.ts'
import { granted } from './oauth.ts'
import type { Account } from './family.ts'
import { TEST_SECRET } from './server.ts'
import type { TestServer } from './server.ts'

const PATH = '/api/v1/beta/webhook'

/** What a webhook shows that has not failed and has delivered nothing yet. */
export const healthy = { last_delivered_at: null, failing_since: null, last_fault: null, next_try_at: null }

/** Why the receiver of a refused call has not verified itself. */
export function failedFor({ status, body, headers }: TestResponse): string | null {
  if (status !== 409 || body.detail !== 'Webhook verification failed')
    throw new Error(`${status} ${body.detail}`)
  return headers.get('x-webhook-fault')
}

/** The calls of a service about its webhooks, by `token`. */
export const webhooks = (server: Pick<TestServer, 'get' | 'post' | 'delete'>, token: string) => ({
  create: (url: string) => server.post(PATH, { token, json: { url } }),
  list: () => server.get(PATH, { token }),
  delete: (id: number) => server.delete(`${PATH}/${id}`, { token }),
  rotate: (id: number) => server.post(`${PATH}/${id}/rotate-secret`, { token }),
  ping: (id: number) => server.post(`${PATH}/${id}/ping`, { token }),
  enable: (id: number) => server.post(`${PATH}/${id}/enable`, { token }),
})

/** A service to which a parent has granted `children`, with a token of its own and one of the grant. */
export async function serviceFor(
  server: TestServer,
  parent: Pick<Account, 'email'>,
  children: number[],
  scope = 'usage:read',
) {
  const { clientCredentials, token, service } = await granted(server, parent, { scope, children })
  const { access_token } = await clientCredentials(scope)
  return { own: access_token, granted: token, service }
}

/** Rings at once, and again without a rest. */
export const quick = { pollMs: 10, tryMs: 5000, retryMs: 10, mostAttempts: 4, restMs: 0 }

/** Starts the worker that lets webhooks ring. */
export const startRinging = (
  { database, config }: Pick<TestServer, 'database' | 'config'>,
  pace = quick,
  production = false,
) =>
  startNotifyingWebhooks(
    {
      database,
      mail: createSenders(config).mail,
      log: createLogger('silent'),
      production,
      secretOf: webhookSecrets(deriveKeys(TEST_SECRET, config)),
      cursorOf: (xactId) => encodeFeedCursor(positionBeforeTransaction(xactId)),
    },
    pace,
  )
