import { importPKCS8, SignJWT } from 'jose'
import { z } from 'zod'
import type { ServiceAccount } from '../config/alerts.ts'
import { alertText, TryLater } from './alert.ts'
import type { Alert, AlertSender, AlertOutcome, Recipient } from './alert.ts'

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging'
const LIFETIME_SECONDS = 3600
/** An access token is renewed this long before it expires. */
const MARGIN_MS = 60_000

const tokenResponse = z.object({ access_token: z.string(), expires_in: z.number().default(LIFETIME_SECONDS) })

const errorResponse = z.object({
  error: z.object({
    status: z.string().optional(),
    details: z.array(z.object({ errorCode: z.string().optional() })).default([]),
  }),
})

/**
 * Creates a sender of push messages by Firebase Cloud Messaging, HTTP v1. FCM has no idempotency key, so a message
 * carries its alert's id as `alert_id` and as the tag by which Android and iOS replace a notification instead of
 * showing it twice.
 */
export function createFcm({ account, baseUrl }: { account: ServiceAccount; baseUrl: string }): AlertSender {
  let current: { token: string; expiresAt: number } | undefined
  let fetching: Promise<string> | undefined

  async function accessToken(signal: AbortSignal): Promise<string> {
    if (current && current.expiresAt - MARGIN_MS > Date.now()) return current.token
    fetching ??= fetchToken(signal).finally(() => {
      fetching = undefined
    })
    return fetching
  }

  /** Exchanges a signed claim for an access token: Google's OAuth 2.0 for service accounts (RFC 7523). */
  async function fetchToken(signal: AbortSignal): Promise<string> {
    const issuedAt = Math.floor(Date.now() / 1000)
    const assertion = await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({
        alg: 'RS256',
        typ: 'JWT',
        ...(account.private_key_id ? { kid: account.private_key_id } : {}),
      })
      .setIssuer(account.client_email)
      .setAudience(account.token_uri)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + LIFETIME_SECONDS)
      .sign(await importPKCS8(account.private_key, 'RS256'))
    const response = await fetch(account.token_uri, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }),
      redirect: 'error',
      signal,
    })
    if (!response.ok) {
      await response.body?.cancel()
      throw new Error(`The token endpoint of FCM answered ${response.status}`)
    }
    const { access_token, expires_in } = tokenResponse.parse(await response.json())
    current = { token: access_token, expiresAt: Date.now() + expires_in * 1000 }
    return access_token
  }

  return async (alert, recipient, signal) => {
    const token = await accessToken(signal)
    const response = await fetch(`${baseUrl}/v1/projects/${account.project_id}/messages:send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ message: message(alert, recipient) }),
      redirect: 'error',
      signal,
    })
    const outcome = await outcomeOf(response)
    if (outcome) return outcome
    // The access token may have been revoked before it expired.
    if (response.status === 401 && current?.token === token) current = undefined
    throw new TryLater(`FCM answered ${response.status}`, response.headers.get('retry-after'))
  }
}

const message = ({ alert_id, ...alert }: Alert, recipient: Recipient) => ({
  token: recipient.to,
  notification: { title: 'Companion', body: alertText(alert.kind, recipient) },
  // FCM data fields must be strings.
  data: Object.fromEntries(
    Object.entries({ alert_id, ...alert }).flatMap(([key, value]) =>
      value === null ? [] : [[key, String(value)]],
    ),
  ),
  android: { priority: 'HIGH', notification: { tag: alert_id } },
  apns: { headers: { 'apns-collapse-id': alert_id } },
})

/** Maps FCM's answer to an outcome; undefined if the alert should be retried. */
async function outcomeOf(response: Response): Promise<AlertOutcome | undefined> {
  if (response.ok) {
    await response.body?.cancel()
    return 'sent'
  }
  const { data } = errorResponse.safeParse(await response.json().catch(() => undefined))
  const codes = data?.error.details.map(({ errorCode }) => errorCode)
  // Require FCM's own error body: a 404 from some other server must not delete parents' push tokens.
  if (codes?.includes('UNREGISTERED') || (response.status === 404 && data?.error.status === 'NOT_FOUND')) {
    return 'unreachable'
  }
  return response.status === 400 && data ? 'refused' : undefined
}
