import { createHmac, randomUUID } from 'node:crypto'
import { DELIVERY_MS } from './patience.ts'
import type { SmsSender } from './sms.ts'

/**
 * Decodes a secret of the form `whsec_` and base64, as Standard Webhooks libraries make them; others are used as is.
 */
const keyOf = (secret: string) =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret

/**
 * Creates a sender that POSTs `{"to", "text", "code"}` to the operator's own SMS gateway. Requests are signed as in
 * Standard Webhooks 1.0: `webhook-signature: v1,` and the base64 HMAC-SHA256 of
 * `<webhook-id>.<webhook-timestamp>.<body>`.
 */
export const createSmsWebhook = ({ url, secret }: { url: string; secret: string }): SmsSender => ({
  async sendSms({ to, text, code }) {
    const body = JSON.stringify({ to, text, code })
    const id = randomUUID()
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signature = createHmac('sha256', keyOf(secret))
      .update(`${id}.${timestamp}.${body}`)
      .digest('base64')
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${signature}`,
      },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(DELIVERY_MS),
    })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`The SMS webhook answered ${response.status}`)
  },
})
