import type { TRPCError } from '@trpc/server'
import { Failure } from '../errors/failure.ts'

type Result = { ok: true } | { ok: false; error: TRPCError }

/** What became of a call, for the trail: `ok`, or how it was refused. Undefined for a call that has not reached its operation. */
export function outcomeOf(result: Result): string | undefined {
  if (result.ok) return 'ok'
  const { error } = result
  if (error instanceof Failure) return error.status === 429 ? undefined : `${error.status} ${error.detail}`
  return error.code === 'INTERNAL_SERVER_ERROR' ? '500' : undefined
}
