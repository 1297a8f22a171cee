import type { safe as trpcSafe, TRPCPromise } from '@trpc/client'
import { asError } from './errors.ts'

/**
 * Makes a failure a value: resolves to `[answer, undefined]` or `[undefined, error]`, and never rejects. For a call of an
 * operation, `error.data` has exactly the statuses and details that this operation declares.
 */
export function safe<Answer, Shape>(
  call: TRPCPromise<Answer, Shape>,
): ReturnType<typeof trpcSafe<Answer, Shape>>
/** The same for what is no operation, such as the outbox, or a function of the app around one: any error. */
export function safe<Answer>(
  call: Promise<Answer>,
): Promise<readonly [data: Answer, error: undefined] | readonly [data: undefined, error: Error]>
export async function safe(
  call: Promise<unknown>,
): Promise<readonly [data: unknown, error: undefined] | readonly [data: undefined, error: Error]> {
  try {
    return [await call, undefined]
  } catch (error) {
    return [undefined, asError(error)]
  }
}
