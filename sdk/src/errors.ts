import { TRPCClientError } from '@trpc/client'
import type { AppRouter, ValidationIssue } from '@companion/server/router'

/**
 * Why a session ended:
 * - `duplicate_login`: someone signed in to the account elsewhere (401 `Refresh token is not valid`)
 * - `expired`: the app was not used for as long as the refresh token lives (two weeks)
 * - `invalid`: the service no longer accepts the tokens; also when the response to a refresh was lost and the phone had
 *   no network during the minute in which the service repeats it
 * - `deleted`: the account is deleted
 * - `blocked`: the account is blocked (423)
 * - `signed_out`: the app called `session.signOut()`
 */
export type SignedOutReason = 'duplicate_login' | 'expired' | 'invalid' | 'deleted' | 'blocked' | 'signed_out'

/**
 * Whether a call failed because nobody is signed in or the session has ended. Show the sign-in screen.
 *
 * The status 401 alone does not tell: `Not authorized user` has it too and ends no session.
 */
export const isSignedOut = (error: unknown): boolean =>
  typeof readProperty(readProperty(error, 'meta'), SIGNED_OUT) === 'string'

/**
 * Whether a call failed because the service could not be reached or did not answer in time. The session continues,
 * and the call may have had an effect or not: try again later. False for a call that the app aborted itself.
 */
export const isOffline = (error: unknown): boolean => isOrWraps(error, UNREACHABLE)

/** Whether a call failed because the storage adapter failed. Follow `cause` to the adapter's own error. */
export const isStorageFailure = (error: unknown): boolean => isOrWraps(error, STORAGE_FAILURE)

/** Whether the outbox refused a note or log because it is full: 2,000 items, about 4 MB, or 250 kB for one item. */
export const isOutboxFull = (error: unknown): boolean => isOrWraps(error, OUTBOX_FULL)

// Errors are recognised by name, not by class: an app may hold two copies of this package, each with its own classes.
const UNREACHABLE = 'CompanionUnreachable'
const STORAGE_FAILURE = 'CompanionStorageFailure'
const OUTBOX_FULL = 'CompanionOutboxFull'
const SIGNED_OUT = 'signedOut'

const named = (name: string, message: string, cause?: unknown): Error =>
  Object.assign(new Error(message), { name }, cause === undefined ? {} : { cause })

export const unreachableError = (message: string, cause?: unknown): Error =>
  named(UNREACHABLE, message, cause)
export const storageFailureError = (message: string, cause?: unknown): Error =>
  named(STORAGE_FAILURE, message, cause)
export const outboxFullError = (): Error => named(OUTBOX_FULL, 'The outbox is full')
export const abortError = (): Error => named('AbortError', 'The call was aborted')

const isOrWraps = (error: unknown, name: string): boolean =>
  readProperty(error, 'name') === name || readProperty(readProperty(error, 'cause'), 'name') === name

/** Reads a property of any value, independent of its class or bundle. */
export const readProperty = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined

/** The service's error of a call: the HTTP status and its text, or for 422 a list of the invalid fields. */
export interface AnyErrorResponse {
  status: number
  detail: string | ValidationIssue[]
}

/**
 * Reads the service's error from the error of any call, for a `catch` or a global error handler. `safe` also knows
 * which errors an operation declares. Undefined when the error is not a response of the service.
 */
export function errorResponseOf(error: unknown): AnyErrorResponse | undefined {
  const data = readProperty(error, 'data')
  return isErrorResponse(data) ? { status: data.status, detail: data.detail } : undefined
}

const isErrorResponse = (data: unknown): data is AnyErrorResponse =>
  typeof readProperty(data, 'status') === 'number' &&
  (typeof readProperty(data, 'detail') === 'string' || Array.isArray(readProperty(data, 'detail')))

export const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

/** Wraps an error in one that `isSignedOut` recognises. */
export const wrapAsSignedOutError = (error: unknown, reason: SignedOutReason): TRPCClientError<AppRouter> =>
  TRPCClientError.from<AppRouter>(asError(error), { meta: { [SIGNED_OUT]: reason } })

/** An error in the shape that tRPC gives it. */
export const toTrpcErrorShape = (status: number, detail: unknown, requestId: unknown) => ({
  error: {
    code: rpcCode(status),
    message: typeof detail === 'string' ? detail : 'The input is not valid',
    data: { status, httpStatus: status, detail, requestId },
  },
})

/** JSON-RPC codes for client errors; tRPC derived most others from the status. */
const rpcCode = (status: number) => (status >= 500 ? -32_603 : status === 400 ? -32_600 : -31_600 - status)

/** The error of a call that needs a session when there is none: an error that every such operation declares. */
export function signedOutError(reason: SignedOutReason, cause?: unknown): TRPCClientError<AppRouter> {
  const detail = reason === 'expired' ? 'Token is expired' : 'Could not validate credentials'
  return TRPCClientError.from<AppRouter>(
    toTrpcErrorShape(401, detail, readProperty(readProperty(cause, 'data'), 'requestId')),
    {
      meta: { [SIGNED_OUT]: reason },
      ...(cause instanceof Error ? { cause } : {}),
    },
  )
}
