import type { Random } from './random.ts'

/** How patient the device is. All times are in milliseconds. */
export interface RetryPolicy {
  /** Tries per upload, the first one included. A connection cut on purpose is not one of them. */
  attempts: number
  /** How long one try may take until its answer is complete. */
  timeout: number
  /** Upper end of the first pause; it doubles with every further one. */
  firstPause: number
  /** No pause of the device's own choice is longer. */
  longestPause: number
  /** The longest `Retry-After` the device waits for. Told to wait longer, it stops for this time. */
  longestRetryAfter: number
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  attempts: 6,
  timeout: 30_000,
  firstPause: 500,
  longestPause: 30_000,
  longestRetryAfter: 120_000,
}

/**
 * The device's own choice of a pause in milliseconds after the try `attempt` (counted from 1): random between
 * half and the whole of an exponentially growing time. A server that comes back must not be met by all
 * devices at once.
 */
export function backoff(attempt: number, policy: RetryPolicy, random: Random): number {
  const longest = Math.min(policy.longestPause, policy.firstPause * 2 ** (attempt - 1))
  return Math.round(longest * (0.5 + random.next() / 2))
}

/**
 * The pause in milliseconds after the failed try `attempt`, or null when the device gives up. `retryAfter` is
 * what the server asked for, in milliseconds, or null; it is never undercut.
 */
export function pauseAfter(
  attempt: number,
  retryAfter: number | null,
  policy: RetryPolicy,
  random: Random,
): number | null {
  if (attempt >= policy.attempts) return null
  if (retryAfter === null) return backoff(attempt, policy, random)
  if (retryAfter > policy.longestRetryAfter) return null
  return retryAfter + Math.round(policy.firstPause * random.next())
}

/** Milliseconds a `Retry-After` header asks for (seconds or an HTTP date); null when it is of no use. */
export function parseRetryAfter(header: string | null, now: Date): number | null {
  const text = header?.trim() ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const time = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? null : Math.max(0, time - now.getTime())
}
