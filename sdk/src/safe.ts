import type { TRPCPromise } from '@trpc/client'
import { asError } from './errors.ts'
import type { CompanionError } from './companion-error.ts'

declare const errors: unique symbol

/**
 * The promise of a method: its response, and for `safe` the errors of its operation. The type belongs to this
 * package, so that an app's own functions can return it without knowing tRPC.
 */
export interface CompanionCall<Output, Errors> extends Promise<Output> {
  readonly [errors]?: Errors
}

type Settled<Output, Failure> =
  | readonly [output: Output, error: undefined]
  | readonly [output: undefined, error: Failure]

/**
 * Turns a failure into a value: resolves to `[output, undefined]` or `[undefined, error]`, and never rejects. For a
 * call of an operation, `error.data` has exactly the statuses and details that this operation declares. For any other
 * promise, such as that of the outbox or of an app function around a call, `error` is any error.
 */
export function safe<Output, Shape extends { data: unknown }>(
  call: TRPCPromise<Output, Shape>,
): Promise<Settled<Output, CompanionError<Shape['data']>>>
export function safe<Output, Errors>(
  call: CompanionCall<Output, Errors>,
): Promise<Settled<Output, unknown extends Errors ? Error : CompanionError<Errors>>>
export async function safe(call: Promise<unknown>): Promise<Settled<unknown, Error>> {
  try {
    return [await call, undefined]
  } catch (error) {
    return [undefined, asError(error)]
  }
}
