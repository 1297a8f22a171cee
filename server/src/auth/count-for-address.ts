import { Failure } from '../errors/failure.ts'
import type { Context } from '../http/context.ts'

/**
 * Counts a call for the address it comes from before `work` begins, and gives that back when `work` is refused for another limit: many people
 * may share an address, and one of them who keeps trying must not use up what the others need.
 */
export async function countForAddress<Result>(
  { limits, request: { address } }: Pick<Context, 'limits' | 'request'>,
  budget: 'smsPerAddress' | 'failuresPerAddress',
  work: () => Promise<Result>,
): Promise<Result> {
  await limits.consume(budget, address)
  try {
    return await work()
  } catch (error) {
    // As where failures are counted: a use too many is a smaller harm than another error.
    if (error instanceof Failure && error.status === 429)
      await limits.giveBack(budget, address).catch(() => undefined)
    throw error
  }
}
