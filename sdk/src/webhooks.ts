/*
 * What the receiver of a webhook needs. It imports nothing, and runs where WebCrypto is: Node.js, Deno, Bun, workers.
 */

/** There are changes: ask for those behind the cursor that you keep, with `companion.changes.list` or `follow`. */
export interface ChangesAvailableEvent {
  type: 'changes.available'
  /** ISO 8601 in UTC. */
  timestamp: string
  data: {
    /** The changes behind this cursor are the news. */
    cursor: string
  }
}

/** The service asks whether you are the one: answer 200 with `{"challenge": …}` as JSON. */
export interface WebhookVerificationEvent {
  type: 'webhook.verify'
  /** ISO 8601 in UTC. */
  timestamp: string
  data: {
    /** Answer it. */
    challenge: string
  }
}

/** What a webhook may get. Ignore types that you do not know: later versions may add some. */
export type WebhookEvent = ChangesAvailableEvent | WebhookVerificationEvent

/** Thrown for a message that is not genuine. Answer 401. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

/** How far the time of a message may be from ours. An older one may be repeated by somebody who has recorded it. */
const TOLERANCE_SECONDS = 300

/** Headers as `fetch` and frameworks have them: `Headers`, or an object such as `request.headers` of Node.js. */
export type WebhookHeaders =
  | { get: (name: string) => string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Verifies a message (Standard Webhooks): that one of `secrets` has signed it, not more than five minutes ago. Resolves to what
 * it says. Throws `WebhookVerificationError`.
 *
 * @param body The body as it came, before anybody has parsed it.
 * @param secrets The secret of the webhook, `whsec_…`; while you replace it, the old and the new one.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
): Promise<WebhookEvent> {
  const header = headerIn(headers)
  const [id, sentAt, signatures] = [header('id'), header('timestamp'), header('signature')]
  if (!id || !signatures || !/^\d+$/.test(sentAt)) throw new WebhookVerificationError('Headers are missing')
  if (Math.abs(Date.now() / 1000 - Number(sentAt)) > TOLERANCE_SECONDS)
    throw new WebhookVerificationError('The message is too old or too new')
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const sent = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const head = new TextEncoder().encode(`${id}.${sentAt}.`)
  const signed = new Uint8Array(head.length + sent.length)
  signed.set(head)
  signed.set(sent, head.length)
  const given = signatures
    .split(' ')
    .flatMap((each) => (each.startsWith('v1,') ? (bytesOf(each.slice(3)) ?? []) : []))
  for (const secret of [secrets].flat()) {
    const raw = bytesOf(secret.replace(/^whsec_/, ''))
    if (!raw || raw.length === 0) throw new TypeError('A secret must be whsec_ and base64')
    const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, [
      'verify',
    ])
    for (const signature of given)
      // It compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return eventIn(text)
  }
  throw new WebhookVerificationError('No secret has signed the message')
}

const headerIn = (headers: WebhookHeaders) => (name: string) => {
  const full = `webhook-${name}`
  if (isHeaders(headers)) return headers.get(full) ?? ''
  const [, value = ''] = Object.entries(headers).find(([each]) => each.toLowerCase() === full) ?? []
  return String(value)
}

const isHeaders = (headers: WebhookHeaders): headers is { get: (name: string) => string | null } =>
  typeof headers.get === 'function'

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}

function eventIn(text: string): WebhookEvent {
  try {
    const event: WebhookEvent = JSON.parse(text)
    if (typeof event.type === 'string' && typeof event.data === 'object') return event
  } catch {
    // Not JSON.
  }
  throw new WebhookVerificationError('The message is no event')
}
