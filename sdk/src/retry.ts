import { isOffline, errorResponseOf } from './errors.ts'
import { retryAfterMsOfError } from './retry-after.ts'
import { rejectOnAbort } from './time-limit.ts'

/** Milliseconds before the second and each further try, before chance shortens them. */
const PAUSES = [250, 1000]

/** The first attempt is still at work. */
const IN_PROGRESS = 'Request is in progress'

const isBusy = (error: unknown): boolean => {
  const { status = 0, detail } = errorResponseOf(error) ?? {}
  return status === 429 || status === 503 || detail === IN_PROGRESS
}

/** Whether the service's error of an attempt says what has become of earlier ones. */
export const settlesEarlierAttempts = (error: unknown): boolean => {
  const { status = 500 } = errorResponseOf(error) ?? {}
  return status < 500 && status !== 401 && !isBusy(error)
}

export interface RetryOptions {
  /** How often to try again. */
  retries: number
  /** Ends the pauses. */
  signal: AbortSignal
  /** When the call must have ended, in milliseconds since 1970. */
  deadline: number
}

/**
 * Sends a request, and sends it again when no response came or the service is busy (429, 503): as often as `retries` says,
 * after pauses that respect `Retry-After`, and only if the call has that much time left.
 */
export async function sendWithRetries<Result>(
  send: () => Promise<Result>,
  { retries, signal, deadline }: RetryOptions,
): Promise<Result> {
  for (let failures = 0; ;) {
    try {
      return await send()
    } catch (error) {
      const pause = (PAUSES[failures] ?? 1000) * (0.5 + Math.random() / 2)
      const wait = Math.max(pause, retryAfterMsOfError(error) ?? 0)
      if (
        failures++ >= retries ||
        signal.aborted ||
        !(isBusy(error) || isOffline(error)) ||
        Date.now() + wait >= deadline
      )
        throw error
      await rejectOnAbort(signal, new Promise((resolve) => setTimeout(resolve, wait)))
    }
  }
}
