import { errorResponseOf } from './errors.ts'
import type { SignedOutReason } from './errors.ts'

/** Whether the access token is too old. */
export function isAccessTokenExpired(error: unknown): boolean {
  const { status, detail } = errorResponseOf(error) ?? {}
  return status === 401 && detail === 'Token is expired'
}

/** Errors that end the session: those of an account operation, after a refresh where one could help. */
export function signedOutReasonOf(error: unknown): SignedOutReason | undefined {
  const { status, detail } = errorResponseOf(error) ?? {}
  if (status === 423) return 'blocked'
  if (status !== 401) return undefined
  if (detail === 'User is None' || detail === 'User is Deleted') return 'deleted'
  return detail === 'Could not validate credentials' ? 'invalid' : undefined
}
