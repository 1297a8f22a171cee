import { TryLater } from './alert.ts'
import type { AlertSender } from './alert.ts'

/**
 * Creates a sender for the messaging app: it POSTs the alert to the operator's gateway with `to`, the parent's phone
 * number. `webhook-id` is the same for every try (Standard Webhooks 1.0), so that the gateway can skip a repeated
 * alert.
 */
export const createAlimTalk =
  (url: string): AlertSender =>
  async (alert, { to, language }, signal) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'webhook-id': alert.alert_id },
      body: JSON.stringify({ ...alert, to, language }),
      redirect: 'error',
      signal,
    })
    await response.body?.cancel()
    if (response.ok) return 'sent'
    const { status, headers } = response
    if (status >= 500 || [401, 403, 408, 429].includes(status)) {
      throw new TryLater(`The messaging-app webhook answered ${status}`, headers.get('retry-after'))
    }
    return 'refused'
  }
