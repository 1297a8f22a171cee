import type { TRPCClientError, TRPCPromise } from '@trpc/client'
import { asError } from './errors.ts'

declare const refusals: unique symbol

/**
 * The promise of a method: its answer, and for `safe` the refusals of its operation. The type belongs to this
 * package, so that an app's own functions can return it without knowing tRPC.
 */
export interface CompanionCall<Answer, Refusals> extends Promise<Answer> {
  readonly [refusals]?: Refusals
}

/** The same methods, with this package's promise type. */
export type Calls<Methods> = {
  [Name in keyof Methods]: Methods[Name] extends (
    ...parameters: infer Parameters
  ) => TRPCPromise<infer Answer, infer Refusals>
    ? (...parameters: Parameters) => CompanionCall<Answer, Refusals>
    : Methods[Name]
}

type Settled<Answer, Failure> =
  | readonly [answer: Answer, error: undefined]
  | readonly [answer: undefined, error: Failure]

/** The error of a failed call: `data` is the service's refusal, undefined when no answer came. */
export interface CompanionError<Refusals> extends TRPCClientError<{
  errorShape: Refusals
  transformer: false
}> {}

/**
 * Turns a failure into a value: resolves to `[answer, undefined]` or `[undefined, error]`, and never rejects. For a
 * call of an operation, `error.data` has exactly the statuses and details that this operation declares. For any other
 * promise, such as that of the outbox or of an app function around a call, `error` is any error.
 */
export function safe<Answer, Refusals>(
  call: TRPCPromise<Answer, Refusals>,
): Promise<Settled<Answer, CompanionError<Refusals>>>
export function safe<Answer, Refusals>(
  call: CompanionCall<Answer, Refusals>,
): Promise<Settled<Answer, unknown extends Refusals ? Error : CompanionError<Refusals>>>
export async function safe(call: Promise<unknown>): Promise<Settled<unknown, Error>> {
  try {
    return [await call, undefined]
  } catch (error) {
    return [undefined, asError(error)]
  }
}
