import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'

/** How far the time of a message may be from ours. An older one may be repeated by somebody who has recorded it. */
const TOLERANCE_SECONDS = 300
const LONGEST_BODY = 10_000

/** Whether the owner of `secret` has signed this message not long ago (Standard Webhooks). */
function isSigned(secret: string, headers: IncomingHttpHeaders, body: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': sentAt, 'webhook-signature': signatures } = headers
  const age = Math.abs(Date.now() / 1000 - Number(sentAt))
  if (!(age <= TOLERANCE_SECONDS)) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', key)
    .update(`${String(id)}.${String(sentAt)}.${body}`)
    .digest()
  // While a secret is being replaced, the old one and the new one sign.
  return String(signatures)
    .split(' ')
    .some((each) => {
      const [version, value = ''] = each.split(',')
      const given = Buffer.from(value, 'base64')
      return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
    })
}

export interface Receiver {
  port: number
  /** From now on only what this secret has signed counts. */
  trust: (secret: string) => void
  /** Waits until there may be news: a message has come since the last call, or a minute is over. */
  news: () => Promise<void>
  close: () => void
}

/**
 * Listens for messages that there are changes. A message holds no data, so one that is lost or repeated does no harm. The
 * service verifies an address before it tells the secret, so until then a challenge is repeated for anybody.
 */
export async function startReceiver(port: number): Promise<Receiver> {
  let secret: string | undefined
  let bell = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    void (async () => {
      if (!(Number(request.headers['content-length']) <= LONGEST_BODY)) return response.writeHead(413).end()
      const body = await text(request)
      if (secret !== undefined && !isSigned(secret, request.headers, body))
        return response.writeHead(401).end()
      const { type, data } = JSON.parse(body)
      if (type === 'webhook.verify') return response.end(JSON.stringify({ challenge: data.challenge }))
      if (secret === undefined) return response.writeHead(503).end() // It comes again.
      bell.resolve()
      return response.writeHead(204).end()
    })().catch(() => response.writeHead(400).end())
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    trust(told) {
      secret = told
    },
    async news() {
      await Promise.race([bell.promise, setTimeout(60_000, undefined, { ref: false })])
      bell = Promise.withResolvers()
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
