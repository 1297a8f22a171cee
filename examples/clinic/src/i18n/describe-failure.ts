import { errorResponseOf, isOffline } from '@companion/sdk'
import { WebAuthnError } from '@simplewebauthn/browser'
import type { Texts } from './en'

/** What to tell the user about something that failed. The service's texts are for programs; these are for people. */
export function describeFailure(error: unknown, t: Texts): string {
  if (isOffline(error)) return t.offline
  const { detail } = errorResponseOf(error) ?? {}
  if (Array.isArray(detail)) return t.invalidInput
  if (detail !== undefined) return t.failures[detail] ?? t.unexpected
  if (error instanceof WebAuthnError) {
    if (error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED') return t.passkeyFailures.known
    if (error.code === 'ERROR_INVALID_DOMAIN' || error.code === 'ERROR_INVALID_RP_ID')
      return t.passkeyFailures.domain
  }
  // What browsers throw when the holder of the passkey says no, or lets the time pass.
  if (error instanceof Error && ['NotAllowedError', 'AbortError'].includes(error.name))
    return t.passkeyFailures.cancelled
  return t.unexpected
}
