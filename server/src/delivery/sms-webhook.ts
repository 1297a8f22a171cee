import { randomUUID } from 'node:crypto'
import { DELIVERY_TIMEOUT_MS } from './timeout.ts'
import { signedHeaders } from './signature.ts'
import type { SmsSender } from './sms.ts'

/** Creates a sender that POSTs `{"to", "text", "code"}` to the operator's own SMS gateway, signed by Standard Webhooks. */
export const createSmsWebhook = ({ url, secret }: { url: string; secret: string }): SmsSender => ({
  async sendSms({ to, text, code }) {
    const body = JSON.stringify({ to, text, code })
    const response = await fetch(url, {
      method: 'POST',
      headers: signedHeaders({ id: randomUUID(), body, secrets: [secret] }),
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(DELIVERY_TIMEOUT_MS),
    })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`The SMS webhook answered ${response.status}`)
  },
})
