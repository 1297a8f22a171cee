import { TryLater } from './alert.ts'
import type { AlertSender } from './alert.ts'
import { signedHeaders } from './signature.ts'

/**
 * Creates a sender for the messaging app: it POSTs the alert to the operator's gateway with `to`, the parent's phone
 * number, and `child_name` if the parent wants it, by Standard Webhooks, signed if there is a secret. `webhook-id` is the same for every try, so that the gateway
 * can skip a repeated alert.
 */
export const createAlimTalk =
  ({ url, secret }: { url: string; secret: string | undefined }): AlertSender =>
  async (alert, { to, language, childName: child_name }, signal) => {
    const body = JSON.stringify({ ...alert, to, language, child_name })
    const response = await fetch(url, {
      method: 'POST',
      headers: signedHeaders({ id: alert.alert_id, body, secrets: secret === undefined ? [] : [secret] }),
      body,
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
