import { createHmac } from 'node:crypto'

/**
 * Decodes a secret of the form `whsec_` and base64, as Standard Webhooks libraries make them; others are used as is.
 */
const keyOf = (secret: string) =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret

interface Message {
  /** The same for every try of a message, so that a receiver can leave out what it has had. */
  id: string
  body: string
  /** While a secret is replaced, a receiver may still have the one before. */
  secrets: readonly string[]
}

/**
 * The headers of a JSON message by Standard Webhooks 1.0: `webhook-signature` has `v1,` and the base64 HMAC-SHA256 of
 * `<webhook-id>.<webhook-timestamp>.<body>` for each secret, with spaces between. Without a secret it is absent.
 */
export function signedHeaders({ id, body, secrets }: Message): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signatures = secrets.map(
    (secret) =>
      `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  )
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(signatures.length > 0 ? { 'webhook-signature': signatures.join(' ') } : {}),
  }
}
