import { Failure } from '../errors/failure.ts'
import { middleware } from '../http/endpoint.ts'

/**
 * Counts the failures of an operation by which callers guess, together with those of other such operations, by the
 * address they come from. A call is counted before it is judged and given back when it did not fail, so that calls sent
 * at once cannot exceed the budget. Stands behind `input`, because a call that is not valid guesses at nothing.
 */
export const countFailures = middleware(async ({ ctx, next }) => {
  const { address } = ctx.request
  await ctx.limits.consume('failuresPerAddress', address)
  const result = await next()
  if (result.ok || !isWrongGuess(result.error)) {
    // The answer is given even if the database has just gone: a use too many is the smaller harm.
    await ctx.limits.giveBack('failuresPerAddress', address).catch(() => undefined)
  }
  return result
})

/** Not what was refused before it was judged, nor a conflict, which is told only to those who had the right code. */
const isWrongGuess = (error: unknown) =>
  error instanceof Failure && error.status < 500 && error.status !== 409 && error.status !== 429
