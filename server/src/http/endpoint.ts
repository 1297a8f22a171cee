import { initTRPC } from '@trpc/server'
import type { OpenApiMeta, OpenApiMethod } from 'trpc-to-openapi'
import type { Database } from '../database/database.ts'
import { Failure, rpcCode } from '../errors/failure.ts'
import type { ErrorDeclaration } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'
import type { Context, Meta, DeclaredError } from './context.ts'
import type { Right } from './right.ts'
import type { AnyScope } from './scope.ts'
import { validationIssues } from './validation-issues.ts'
import type { ValidationIssue } from './validation-issues.ts'

/** Whose accounts an operation is for. */
export type AccountKind = 'parents' | 'clinicians' | 'all'

/** How an operation is served over REST. */
export interface Operation {
  method: OpenApiMethod
  path: `/api/v${1 | 2}/${string}`
  summary: string
  description?: string
  /**
   * `form`: the body is `application/x-www-form-urlencoded`, or JSON with the same fields. `{ array }`: the body is a bare array, which becomes the
   * input field of that name. `json` on a DELETE: the fields may be in a body as well as in the query.
   */
  body?: 'json' | 'form' | { array: string }
  /** The content type of a file answer; the output schema must then be `file` of file-response.ts. */
  file?: string
  /** The maximum size of a body in bytes, after decompression. */
  bodyLimit?: number
  /**
   * Whether the log keeps a hash of the body and of the caller's address for every request: for writes without a token.
   */
  recorded?: true
  /** The kind of token in the Authorization header, if any; with `optional access`, it may be absent. */
  token?: 'access' | 'optional access' | 'valid'
  /** The callers with an access token that may use it. */
  right?: Right
  /** The accounts that it is for, which are parents' unless it says so; an account of the other kind is refused. */
  accounts?: AccountKind
  /** Which services may call it with a parent's consent; without it, none. */
  scope?: AnyScope
  /** Only a service calls it, with a token of its own (client_credentials). */
  serviceOnly?: true
  /** The request headers that this operation reads, by name. */
  headers?: Record<string, HeaderField>
  /**
   * What becomes of a repeat under the same `Idempotency-Key`, of an operation that changes something for a signed-in caller:
   * `kept`, which is the default, responds as to the first call; `none` does it again.
   */
  repeat?: 'kept' | 'none'
  /** Throws when a repeat gets no response because of more than a lost right to a child. */
  assertRepeatable?: (repeat: Repeat) => Promise<void>
  /** It calls other services before it responds. */
  waits?: true
  /** The headers of its response, besides those that every operation has. */
  responseHeaders?: readonly ('ETag' | 'X-Webhook-Fault' | 'Accept-Ranges' | 'X-Firmware-Id')[]
  /** Successes other than 200, and when they come: `204` without a body, `206` with a part of the file. */
  otherSuccesses?: Partial<Record<204 | 206, string>>
}

/** A call that was made before under the same `Idempotency-Key`. */
export interface Repeat {
  database: Database
  rootUserId: number
  /** The day of the service. */
  today: string
  rawInput: unknown
}

/** Whether the response to a call with an `Idempotency-Key` is kept, and answered to the same call again. */
export const keepsResponseByKey = ({
  token,
  method,
  repeat,
}: Pick<Operation, 'token' | 'method' | 'repeat'>): boolean =>
  token === 'access' && method !== 'GET' && repeat !== 'none'

/** A request header: what it means, and which texts it may hold. Generated clients write no other type into headers. */
export interface HeaderField {
  description: string
  pattern?: string
  minLength?: number
  maxLength?: number
  examples?: readonly string[]
}

/** An operation that asks for an access token says who may call it. */
type WithRight = { token: 'access'; right: Right } | { token?: 'optional access' | 'valid' }

declare module './context.ts' {
  interface Meta {
    openapi?: OpenApiMeta['openapi']
    operation?: Operation
    errors?: readonly ErrorDeclaration[]
  }
}

/** Maps declared failures to the errors that clients receive. */
export type TrpcErrorShape<Error extends readonly [number, unknown, ...unknown[]]> = Error extends readonly [
  infer Status,
  infer Detail,
  ...unknown[],
]
  ? DeclaredError<Status, Detail>
  : never

/** A declared failure as it is thrown: nobody needs to say again when it happens. */
type Thrown<Error extends ErrorDeclaration> = Error extends readonly [
  infer Status,
  infer Detail,
  ...infer When,
]
  ? readonly [status: Status, detail: Detail, ...when: Partial<When>]
  : never

type GenericError = (typeof generic)[keyof typeof generic] | readonly [status: 422, detail: ValidationIssue[]]

/** Returns what a client of tRPC is told of an error. */
export function trpcErrorShape<Error extends readonly [number, unknown, ...unknown[]]>(
  [status, detail]: Error,
  requestId: string | undefined,
): TrpcErrorShape<Error>
export function trpcErrorShape(
  [status, detail]: readonly [number, unknown, ...unknown[]],
  requestId: string | undefined,
) {
  const message = typeof detail === 'string' ? detail : 'The input is not valid'
  return { message, code: rpcCode(status), data: { status, httpStatus: status, detail, requestId } }
}

const genericErrors: readonly ErrorDeclaration[] = Object.values(generic)
const has = (errors: readonly ErrorDeclaration[], failure: Failure) =>
  errors.some(([status, detail]) => failure.status === status && failure.detail === detail)

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    isServer: true,
    errorFormatter: ({ error, ctx, input }) =>
      trpcErrorShape<GenericError>(
        genericError(error, validationIssues(error, input, ctx?.request.origin() ?? '')),
        ctx?.request.id,
      ),
  })

/**
 * Maps a failure that the operation has not declared to a response: 422 with `issues` if given, a generic error that
 * fits, or else 500. The response reveals nothing about an unhandled error cause.
 */
export function genericError(error: unknown, issues: ValidationIssue[] | undefined): GenericError {
  if (issues) return [422, issues]
  for (const each of Object.values(generic)) if (error instanceof Failure && has([each], error)) return each
  return generic.internal
}

export const { router, mergeRouters, middleware } = t

/**
 * Starts a procedure that is served as `operation` and may fail in the ways that `errors` lists. The list feeds the
 * OpenAPI document, the client's error types and a guard, which turns a failure missing from the list into a 500.
 */
export function endpoint<const Errors extends readonly ErrorDeclaration[]>(
  operation: Operation & WithRight,
  errors: Errors,
) {
  const { method, path, summary, description } = operation
  return t.procedure
    .meta({
      openapi: {
        method,
        path,
        summary,
        ...(description ? { description } : {}),
        // openapi/document.ts describes errors and tokens from `errors` and `operation`.
        errorResponses: [],
        protect: false,
      },
      operation,
      errors,
    })
    .errors(({ error, ctx }) => {
      const declared = errors[errors.findIndex((each) => error instanceof Failure && has([each], error))]
      return declared ? trpcErrorShape<Errors[number]>(declared, ctx.request.id) : undefined
    })
    .use(async ({ ctx: { database }, next }) => {
      const result = await next({
        ctx: {
          /** Creates a declared failure of this operation, to be thrown. */
          failure: (...[status, detail]: Thrown<Errors[number]>) => new Failure(status, detail),
        },
      })
      if (result.ok) return result
      const failure = await database.failureOf(result.error)
      if (failure) throw failure
      if (!(result.error instanceof Failure)) return result
      if (has(errors, result.error) || has(genericErrors, result.error)) return result
      throw new Error(
        `${path} failed with ${result.error.status} "${result.error.detail}", which it does not declare`,
        {
          cause: result.error,
        },
      )
    })
}
