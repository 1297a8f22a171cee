import { TRPCClientError } from '@trpc/client'
import { asError, readProperty } from './errors.ts'
import { retryAfterMsOfError } from './retry-after.ts'

/** The service's error of a call: the HTTP status and its text, or for 422 a list of the invalid fields. */
export interface ErrorResponse<Status extends number, Detail> {
  status: Status
  httpStatus: Status
  detail: Detail
  /** Names the call in the log of the service. */
  requestId: string | undefined
}

/**
 * The error of a failed call. Its message names the operation, the status and the text:
 * `auth.signIn: 400 Password is invalid`. Its stack begins where the app has called the method. `data` is the service's
 * error, undefined when no response came.
 */
export class CompanionError<Errors = ErrorResponse<number, unknown>> extends TRPCClientError<{
  errorShape: { message: string; code: number; data: Errors }
  transformer: false
}> {
  /** The operation that failed, such as `auth.signIn`. */
  readonly operation: string
  /** Milliseconds that the service, or a proxy before it, asks to wait before the next try (429 and 503). */
  readonly retryAfter: number | undefined

  /**
   * Whether this was a change whose response never came: it may have happened or not. False where the service has refused the
   * change, and for reads.
   */
  readonly mayHaveHappened: boolean

  constructor(operation: string, failure: unknown, mayHaveHappened = false) {
    const { message, cause, shape, meta } = TRPCClientError.from<never>(asError(failure))
    super(`${operation}: ${textOf(readProperty(shape, 'data')) ?? message}`, {
      ...(shape ? { result: { error: shape } } : {}),
      ...(cause ? { cause } : {}),
      ...(meta ? { meta } : {}),
    })
    // tRPC's constructor sets its own.
    Object.setPrototypeOf(this, CompanionError.prototype)
    this.name = 'CompanionError'
    this.operation = operation
    this.retryAfter = retryAfterMsOfError(failure)
    this.mayHaveHappened = mayHaveHappened
  }
}

/** Status and text; of invalid fields the first, without its value, which may be personal. */
function textOf(data: unknown): string | undefined {
  if (data === undefined) return undefined
  const detail = readProperty(data, 'detail')
  const [first]: unknown[] = Array.isArray(detail) ? detail : []
  const field = readProperty(first, 'loc')
  const text = Array.isArray(field)
    ? `${field.slice(1).join('.')}: ${String(readProperty(first, 'msg'))}`
    : detail
  return `${String(readProperty(data, 'status'))} ${String(text)}`
}
