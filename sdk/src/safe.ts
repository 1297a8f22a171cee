import type { TRPCPromise } from '@trpc/client'
import { asError } from './errors.ts'
import type { CompanionError } from './companion-error.ts'

declare const errors: unique symbol

/**
 * The promise of a method: its answer, and for `safe` the errors of its operation. The type belongs to this
 * package, so that an app's own functions can return it without knowing tRPC.
 */
export interface CompanionCall<Answer, Errors> extends Promise<Answer> {
  readonly [errors]?: Errors
}

type Settled<Answer, Failure> =
  | readonly [answer: Answer, error: undefined]
  | readonly [answer: undefined, error: Failure]

/**
 * Turns a failure into a value: resolves to `[answer, undefined]` or `[undefined, error]`, and never rejects. For a
 * call of an operation, `error.data` has exactly the statuses and details that this operation declares. For any other
 * promise, such as that of the outbox or of an app function around a call, `error` is any error.
 */
export function safe<Answer, Shape extends { data: unknown }>(
  call: TRPCPromise<Answer, Shape>,
): Promise<Settled<Answer, CompanionError<Shape['data']>>>
export function safe<Answer, Errors>(
  call: CompanionCall<Answer, Errors>,
): Promise<Settled<Answer, unknown extends Errors ? Error : CompanionError<Errors>>>
export async function safe(call: Promise<unknown>): Promise<Settled<unknown, Error>> {
  try {
    return [await call, undefined]
  } catch (error) {
    return [undefined, asError(error)]
  }
}
