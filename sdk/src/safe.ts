import type { TRPCClientError, TRPCPromise } from '@trpc/client'
import { asError } from './errors.ts'

declare const refusals: unique symbol

/**
 * What a method resolves to, together with how its operation may be refused, for `safe`. A type of this package, so that
 * an app's own functions can have it without knowing tRPC.
 */
export interface CompanionCall<Answer, Refusals> extends Promise<Answer> {
  readonly [refusals]?: Refusals
}

/** The same methods, with this package's type for what they answer. */
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

/** What a call fails with: `data` is how the service refused it, undefined when there was no answer. */
export interface CompanionError<Refusals> extends TRPCClientError<{
  errorShape: Refusals
  transformer: false
}> {}

/**
 * Makes a failure a value: resolves to `[answer, undefined]` or `[undefined, error]`, and never rejects. For a call of an
 * operation, `error.data` has exactly the statuses and details that this operation declares; for anything else, such as
 * the outbox or a function of the app around a call, `error` is any error.
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
