import { abortError } from './errors.ts'

export interface TimeoutOptions {
  /** Time limit of the work in milliseconds. */
  ms: number
  /** Stops the work earlier. */
  signal?: AbortSignal | null | undefined
  /** The error that the caller gets when the time is over. */
  late: () => Error
}

/** Longest delay that `setTimeout` accepts, about 24 days. */
const LONGEST_TIMEOUT = 2 ** 31 - 1

/** Returns a time limit that `setTimeout` can keep, and throws a RangeError for any other, which would fire at once. */
export function validateTimeout(timeout: number): number {
  if (timeout > 0 && timeout <= LONGEST_TIMEOUT) return timeout
  throw new RangeError(`timeout must be milliseconds above 0 and at most ${LONGEST_TIMEOUT}`)
}

/**
 * Runs `work` within a time limit and until a signal. When either is reached, the signal of `work` fires and the
 * caller gets a response at once, even if `work` ignores the signal. (Hermes has neither `AbortSignal.timeout` nor
 * `.any`.)
 */
export async function runWithinTimeout<Result>(
  { ms, signal, late }: TimeoutOptions,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (signal?.aborted) throw abortError()
  const controller = new AbortController()
  let stop: ((error: Error) => void) | undefined
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = (error) => {
      reject(error)
      controller.abort()
    }
  })
  const onAbort = () => stop?.(abortError())
  const timer = setTimeout(() => stop?.(late()), ms)
  signal?.addEventListener('abort', onAbort)
  try {
    return await Promise.race([work(controller.signal), stopped])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

/** Resolves like `work`, or fails when the signal fires: for work that may ignore the signal. */
export async function rejectOnAbort<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  let stop: ((error: Error) => void) | undefined
  const stopped = new Promise<never>((_resolve, reject) => (stop = reject))
  const onAbort = () => stop?.(abortError())
  signal.addEventListener('abort', onAbort)
  try {
    return await Promise.race([work, stopped])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
