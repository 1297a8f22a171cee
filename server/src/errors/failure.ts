import { TRPCError } from '@trpc/server'
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc'
import type { TRPC_ERROR_CODE_KEY } from '@trpc/server/rpc'

/**
 * One way an operation may fail: HTTP status, the `detail` text its callers rely on, and for the documents when that
 * happens, such as `no such child, or it was deleted`.
 */
export type ErrorDeclaration = readonly [status: number, detail: string, when?: string]

const codes: Record<number, TRPC_ERROR_CODE_KEY> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_SUPPORTED',
  409: 'CONFLICT',
  412: 'PRECONDITION_FAILED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'UNPROCESSABLE_CONTENT',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'SERVICE_UNAVAILABLE',
}

/** An error that the caller receives as `{"detail": detail}` with `status`, over REST and tRPC alike. */
export class Failure extends TRPCError {
  override readonly name = 'Failure'
  readonly status: number
  readonly detail: string
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    detail: string,
    /** A string is the `when` of a declared failure, which callers are not told. */
    options: string | { cause?: unknown; headers?: Readonly<Record<string, string>> } = {},
  ) {
    const { cause, headers = {} } = typeof options === 'string' ? {} : options
    // tRPC has no code for 410 and 423; the error sent to clients carries the real status.
    super({ code: codes[status] ?? 'BAD_REQUEST', message: detail, cause })
    this.status = status
    this.detail = detail
    this.headers = headers
  }
}

/** Returns tRPC's error number for an HTTP status; tRPC's wire format requires one. */
export const rpcCode = (status: number) => TRPC_ERROR_CODES_BY_KEY[codes[status] ?? 'BAD_REQUEST']
