import { createHmac, randomUUID } from 'node:crypto'
import { DELIVERY_MS } from './patience.ts'
import type { SmsSender } from './sms.ts'

/** `whsec_` and base64, as the libraries of Standard Webhooks make their secrets; any other is the key as it stands. */
const keyOf = (secret: string) =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret

/**
 * SMS by somebody's own gateway: POST of `{"to", "text", "code"}`, signed as Standard Webhooks 1.0 has it, that is
 * `webhook-signature: v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`.
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
