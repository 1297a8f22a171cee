import type { Random } from './random.ts'

/** How patient the device is. All times are in milliseconds. */
export interface RetryPolicy {
  /** Tries per upload, including the first. A connection cut on purpose does not count. */
  attempts: number
  /** Time limit of one try, until its response is complete. */
  timeout: number
  /** Upper end of the first pause. It doubles with every further pause. */
  firstPause: number
  /** Longest pause that the device chooses by itself. */
  longestPause: number
  /** Longest `Retry-After` that the device waits for. If told to wait longer, it ends the run. */
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
 * Chooses the device's pause in milliseconds after the try `attempt` (counted from 1): random between half and the
 * whole of an exponentially growing time, so that not all devices meet a recovering server at once.
 */
export function backoff(attempt: number, policy: RetryPolicy, random: Random): number {
  const longest = Math.min(policy.longestPause, policy.firstPause * 2 ** (attempt - 1))
  return Math.round(longest * (0.5 + random.next() / 2))
}

/**
 * The pause in milliseconds after the failed try `attempt`; null when the device gives up. `retryAfter` is the time
 * in milliseconds that the server asked for, or null. The pause is never shorter than that.
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

/**
 * Reads the milliseconds that a `Retry-After` header asks for (seconds or an HTTP date); null when it cannot be read.
 */
export function parseRetryAfter(header: string | null, now: Date): number | null {
  const text = header?.trim() ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const time = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? null : Math.max(0, time - now.getTime())
}
