import { vi } from 'vitest'

/** Waits for `promise` while fake time advances as needed. */
export async function patiently<Result>(promise: Promise<Result>): Promise<Result> {
  const waiting = new Set([promise])
  const settled = () => waiting.clear()
  promise.then(settled, settled)
  while (waiting.size > 0) await vi.advanceTimersByTimeAsync(50)
  return promise
}

/** Resolves to the error that `promise` fails with. */
export const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  patiently(
    promise.then(
      (value) => {
        throw new Error(`It did not fail but gave ${JSON.stringify(value)}`)
      },
      (error: unknown) => error,
    ),
  )
