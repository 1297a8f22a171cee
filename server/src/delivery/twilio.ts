import { DELIVERY_TIMEOUT_MS } from './timeout.ts'
import type { SmsSender } from './sms.ts'

interface Account {
  accountSid: string
  authToken: string
  /** A phone number, or the SID of a messaging service (`MG…`). */
  from: string
  baseUrl: string
}

/** Creates a sender by Twilio's Messages resource, or a service with the same API. */
export function createTwilio({ accountSid, authToken, from, baseUrl }: Account): SmsSender {
  const address = `${baseUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`
  const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`
  const sender: Record<string, string> = from.startsWith('MG')
    ? { MessagingServiceSid: from }
    : { From: from }
  return {
    async sendSms({ to, text }) {
      const response = await fetch(address, {
        method: 'POST',
        headers: { authorization },
        body: new URLSearchParams({ To: to, ...sender, Body: text }),
        redirect: 'error',
        signal: AbortSignal.timeout(DELIVERY_TIMEOUT_MS),
      })
      // Twilio's error message repeats the phone number, so only its code is kept.
      const body: unknown = await response.json().catch(() => undefined)
      const code = typeof body === 'object' && body && 'code' in body ? Number(body.code) : 0
      if (!response.ok) throw new Error(`Twilio answered ${response.status}, error ${code}`)
    },
  }
}
