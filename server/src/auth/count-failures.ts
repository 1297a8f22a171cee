import { Failure } from '../errors/failure.ts'
import type { Context } from '../http/context.ts'
import { middleware } from '../http/endpoint.ts'

/**
 * Counts the failures of an operation by which callers guess, together with those of other such operations, by the
 * address they come from. A call is counted before it is judged and given back when it did not fail, so that calls sent
 * at once cannot exceed the budget. Stands behind `input`, because a call that is not valid guesses at nothing.
 */
export const limitFailedGuesses = middleware(async ({ ctx, next }) => {
  const settle = await startLimitedGuess(ctx)
  const result = await next()
  await settle(result.ok ? undefined : result.error)
  return result
})

/** The same outside of an operation: resolves to what must be called with the failure, if there was one. */
export async function startLimitedGuess({
  limits,
  request,
}: Pick<Context, 'limits' | 'request'>): Promise<(failure: unknown) => Promise<void>> {
  const { address } = request
  await limits.consume('failuresPerAddress', address)
  return async (failure) => {
    if (isWrongGuess(failure)) return
    // The response is given even if the database has just gone: a use too many is the smaller harm.
    await limits.giveBack('failuresPerAddress', address).catch(() => undefined)
  }
}

/** Not what was refused before it was judged, nor a conflict, which is told only to those who had the right code. */
const isWrongGuess = (error: unknown) =>
  error instanceof Failure && error.status < 500 && error.status !== 409 && error.status !== 429
