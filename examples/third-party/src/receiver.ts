import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { verifyWebhook, WebhookVerificationError } from '@companion/sdk/webhooks'

const LONGEST_BODY = 10_000

/**
 * Listens for messages that there are changes. A message holds no data, so one that is lost or repeated does no harm. The
 * service verifies an address before it tells the secret, so until then a challenge is repeated for anybody.
 */
export async function startReceiver(port: number) {
  let secret: string | undefined
  let bell = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    void (async () => {
      if (!(Number(request.headers['content-length']) <= LONGEST_BODY)) return response.writeHead(413).end()
      const body = await text(request)
      const { type, data } =
        secret === undefined ? JSON.parse(body) : await verifyWebhook(body, request.headers, secret)
      if (type === 'webhook.verify') return response.end(JSON.stringify({ challenge: data.challenge }))
      if (secret === undefined) return response.writeHead(503).end() // It comes again.
      bell.resolve()
      bell = Promise.withResolvers()
      return response.writeHead(204).end()
    })().catch((error: unknown) =>
      response.writeHead(error instanceof WebhookVerificationError ? 401 : 400).end(),
    )
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    /** From now on only what this secret has signed counts. */
    trust: (told: string) => void (secret = told),
    /** Settles with the next message. */
    news: () => bell.promise,
  }
}
