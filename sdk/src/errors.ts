import { TRPCClientError } from '@trpc/client'
import type { AppRouter, ValidationIssue } from '@companion/server/router'

/**
 * Why a session ended:
 * - `duplicate_login`: someone signed in to the account elsewhere (401 `Refresh token is not valid`)
 * - `expired`: the app was not used for as long as the refresh token lives (two weeks)
 * - `invalid`: the service does not accept the tokens any more; also when the answer to a refresh was lost and the phone
 *   had no network for the minute in which it could be had again
 * - `deleted`: the account is gone
 * - `blocked`: the account is blocked (423)
 * - `signed_out`: the app itself called `session.signOut()`
 */
export type SignedOutReason = 'duplicate_login' | 'expired' | 'invalid' | 'deleted' | 'blocked' | 'signed_out'

/**
 * Whether a call failed because nobody is signed in any more, or nobody was. Show the sign-in screen.
 *
 * It is not enough to look for 401: `Not authorized user` has that status too and ends no session.
 */
export const isSignedOut = (error: unknown): boolean =>
  typeof property(property(error, 'meta'), SIGNED_OUT) === 'string'

/**
 * Whether a call failed because the service could not be reached or did not answer in time. Nobody was signed out,
 * and whether the call had an effect is not known; try again later. A call that the app aborted itself is not meant.
 */
export const isOffline = (error: unknown): boolean => isOrWraps(error, UNREACHABLE)

/** Whether a call failed because the storage adapter did; the adapter's own error is somewhere down `cause`. */
export const isStorageFailure = (error: unknown): boolean => isOrWraps(error, STORAGE_FAILURE)

/** Whether a note or log was not taken because the outbox is full: 2,000 items, some 4 MB, or 250 kB for one. */
export const isOutboxFull = (error: unknown): boolean => isOrWraps(error, OUTBOX_FULL)

// Names and not classes: an app may hold two copies of this package, each with classes of its own.
const UNREACHABLE = 'CompanionUnreachable'
const STORAGE_FAILURE = 'CompanionStorageFailure'
const OUTBOX_FULL = 'CompanionOutboxFull'
const SIGNED_OUT = 'signedOut'

const named = (name: string, message: string, cause?: unknown): Error =>
  Object.assign(new Error(message), { name }, cause === undefined ? {} : { cause })

export const unreachable = (message: string, cause?: unknown): Error => named(UNREACHABLE, message, cause)
export const storageFailure = (message: string, cause?: unknown): Error =>
  named(STORAGE_FAILURE, message, cause)
export const outboxFull = (): Error => named(OUTBOX_FULL, 'The outbox is full')
export const aborted = (): Error => named('AbortError', 'The call was aborted')

const isOrWraps = (error: unknown, name: string): boolean =>
  property(error, 'name') === name || property(property(error, 'cause'), 'name') === name

/** A property of anything, whatever class or bundle it comes from. */
export const property = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined

/** How the service refuses a call: the HTTP status and its text, or for 422 what is wrong with which field. */
export interface AnyRefusal {
  status: number
  detail: string | ValidationIssue[]
}

/**
 * How the service refused whatever call failed with this error, for a `catch` or an error handler of all calls; `safe`
 * knows which refusals an operation has. Undefined when the error is not the service's answer.
 */
export function refusalOf(error: unknown): AnyRefusal | undefined {
  const data = property(error, 'data')
  return isRefusal(data) ? { status: data.status, detail: data.detail } : undefined
}

const isRefusal = (data: unknown): data is AnyRefusal =>
  typeof property(data, 'status') === 'number' &&
  (typeof property(data, 'detail') === 'string' || Array.isArray(property(data, 'detail')))

export const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

/** The error as tRPC's clients expect it. */
export const callError = (error: unknown): TRPCClientError<AppRouter> =>
  TRPCClientError.from<AppRouter>(asError(error))

/** The same error, known to `isSignedOut`. */
export const withReason = (error: unknown, reason: SignedOutReason): TRPCClientError<AppRouter> =>
  TRPCClientError.from<AppRouter>(asError(error), { meta: { [SIGNED_OUT]: reason } })

/** A refusal in the form tRPC gives it. */
export const refusal = (status: number, detail: unknown, requestId: unknown) => ({
  error: {
    code: rpcCode(status),
    message: typeof detail === 'string' ? detail : 'The input is not valid',
    data: { status, httpStatus: status, detail, requestId },
  },
})

/** JSON-RPC's numbers for what a client does wrong; tRPC made most others of the status. */
const rpcCode = (status: number) => (status >= 500 ? -32_603 : status === 400 ? -32_600 : -31_600 - status)

/** What a call gets that cannot be sent without a session: one of the refusals its operation declares anyway. */
export function signedOut(reason: SignedOutReason, cause?: unknown): TRPCClientError<AppRouter> {
  const detail = reason === 'expired' ? 'Token is expired' : 'Could not validate credentials'
  return TRPCClientError.from<AppRouter>(
    refusal(401, detail, property(property(cause, 'data'), 'requestId')),
    {
      meta: { [SIGNED_OUT]: reason },
      ...(cause instanceof Error ? { cause } : {}),
    },
  )
}
