import { request as requestByHttp } from 'node:http'
import { request as requestByHttps } from 'node:https'
import { isIP } from 'node:net'
import { signedHeaders } from './signature.ts'
import { DELIVERY_TIMEOUT_MS } from './timeout.ts'
import { addressesOf, ForbiddenAddress } from './webhook-address.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** More of a response is not read. */
const MOST_BYTES = 10_000

export interface WebhookMessage {
  url: string
  /** By which a receiver knows a message that comes again. */
  id: string
  secrets: readonly string[]
  content: WebhookEvent
}

export interface WebhookResponse {
  status: number
  retryAfter: string | null
  /** At most 10 kB. */
  body: string
}

/**
 * POSTs a message, signed by Standard Webhooks, to a client's receiver until `signal` aborts. It connects to the address
 * that it has judged (`addressesOf`), on a connection of its own that is closed afterwards, and follows no redirect.
 */
export async function postWebhook(
  { url, id, secrets, content }: WebhookMessage,
  { production, signal }: { production: boolean; signal: AbortSignal },
): Promise<WebhookResponse> {
  const target = new URL(url)
  const addresses = (await addressesOf(target, { production, signal })).map((address) => ({
    address,
    family: isIP(address),
  }))
  const body = JSON.stringify(content)
  const send = target.protocol === 'https:' ? requestByHttps : requestByHttp
  return new Promise((resolve, reject) => {
    const sent = send(target, {
      method: 'POST',
      headers: {
        ...signedHeaders({ id, body, secrets }),
        'content-length': Buffer.byteLength(body),
        // Firewalls refuse requests without one.
        'user-agent': 'Companion-Webhooks/1',
      },
      agent: false,
      signal,
      lookup: (_host, { all }, found) => {
        const [first] = addresses
        if (all) found(null, addresses)
        else found(null, first?.address ?? '', first?.family)
      },
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      const { statusCode = 0, headers } = response
      let text = ''
      const finish = () => {
        sent.destroy()
        resolve({ status: statusCode, retryAfter: headers['retry-after'] ?? null, body: text })
      }
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk.slice(0, MOST_BYTES - text.length)
        if (text.length === MOST_BYTES) finish()
      })
      response.on('end', finish)
      response.on('error', reject)
    })
    sent.end(body)
  })
}

export const isSuccess = ({ status }: WebhookResponse): boolean => status >= 200 && status < 300

/** Says in a few words, for the owner of a webhook, what is wrong with a response. */
export const statusFailureText = ({ status }: WebhookResponse): string => `status ${status}`

/** Says the same of an error of `postWebhook`. */
export function connectionFailureText(error: unknown): string {
  if (error instanceof ForbiddenAddress) return 'address not allowed'
  if (!(error instanceof Error)) return 'no connection'
  if (error.name === 'TimeoutError' || error.name === 'AbortError')
    return `no answer in ${DELIVERY_TIMEOUT_MS / 1000} s`
  // As Node.js names what its TLS finds wrong with a certificate.
  return /CERT|LEAF_SIGNATURE/.test(String(Reflect.get(error, 'code')))
    ? 'certificate not valid'
    : 'no connection'
}
