import { aborted } from './errors.ts'

export interface Bounds {
  /** Milliseconds the work may take. */
  ms: number
  /** Stops it earlier. */
  signal?: AbortSignal | null | undefined
  /** What the caller gets when the time is over. */
  late: () => Error
}

/** The most that `setTimeout` takes, some 24 days. */
const LONGEST_TIMEOUT = 2 ** 31 - 1

/** A time limit that works: with any other, `setTimeout` fires at once. */
export function timeLimit(timeout: number): number {
  if (timeout > 0 && timeout <= LONGEST_TIMEOUT) return timeout
  throw new RangeError(`timeout must be milliseconds above 0 and at most ${LONGEST_TIMEOUT}`)
}

/**
 * Does `work` within bounds. Its signal fires when they are reached, and the caller is answered at that moment even if
 * the work does not listen to the signal. (`AbortSignal.timeout` and `.any` do not exist on Hermes.)
 */
export async function within<Result>(
  { ms, signal, late }: Bounds,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (signal?.aborted) throw aborted()
  const controller = new AbortController()
  let stop: ((error: Error) => void) | undefined
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = (error) => {
      reject(error)
      controller.abort()
    }
  })
  const onAbort = () => stop?.(aborted())
  const timer = setTimeout(() => stop?.(late()), ms)
  signal?.addEventListener('abort', onAbort)
  try {
    return await Promise.race([work(controller.signal), stopped])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

/** The same result, or a failure when the signal fires: for work that may not listen to it. */
export async function unlessAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  let stop: ((error: Error) => void) | undefined
  const stopped = new Promise<never>((_resolve, reject) => (stop = reject))
  const onAbort = () => stop?.(aborted())
  signal.addEventListener('abort', onAbort)
  try {
    return await Promise.race([work, stopped])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
