import { initTRPC } from '@trpc/server'
import type { OpenApiMeta, OpenApiMethod } from 'trpc-to-openapi'
import { Failure, rpcCode } from '../errors/failure.ts'
import type { Declared } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'
import type { Context, Meta, Refusal } from './context.ts'
import { validationIssues } from './validation-issues.ts'
import type { ValidationIssue } from './validation-issues.ts'

/** Where and how an operation is served over REST. */
export interface Operation {
  method: OpenApiMethod
  path: `/api/v${1 | 2}/${string}`
  summary: string
  description?: string
  /**
   * `form`: the body is `application/x-www-form-urlencoded`; `{ array }`: it is a bare array, which becomes that input
   * field; `json` on a DELETE: its fields may come in a body, and not only in the query.
   */
  body?: 'json' | 'form' | { array: string }
  /** The content type of the file it answers instead of JSON; its output is `file` of file-answer.ts. */
  file?: string
  /** The most bytes of a body, unpacked. */
  bodyLimit?: number
  /**
   * Whether the log says of every request, as hashes, which body came from where: for what is written without a token.
   */
  recorded?: true
  /** Which token goes into the Authorization header, if any; `optional access` when one may be left out. */
  token?: 'access' | 'optional access' | 'valid'
  /** Request headers that mean something here, with what they mean. */
  headers?: Record<string, string>
}

declare module './context.ts' {
  interface Meta {
    openapi?: OpenApiMeta['openapi']
    operation?: Operation
    errors?: readonly Declared[]
  }
}

/** What a client gets for each of the declared failures. */
export type ErrorShape<Error extends readonly [number, unknown, ...unknown[]]> = Error extends readonly [
  infer Status,
  infer Detail,
  ...unknown[],
]
  ? Refusal<Status, Detail>
  : never

/** A declared failure as it is thrown: nobody needs to say again when it happens. */
type Thrown<Error extends Declared> = Error extends readonly [infer Status, infer Detail, ...infer When]
  ? readonly [status: Status, detail: Detail, ...when: Partial<When>]
  : never

type GenericError = (typeof generic)[keyof typeof generic] | readonly [status: 422, detail: ValidationIssue[]]

function shape<Error extends readonly [number, unknown, ...unknown[]]>(
  [status, detail]: Error,
  requestId: string | undefined,
): ErrorShape<Error>
function shape([status, detail]: readonly [number, unknown, ...unknown[]], requestId: string | undefined) {
  const message = typeof detail === 'string' ? detail : 'The input is not valid'
  return { message, code: rpcCode(status), data: { status, httpStatus: status, detail, requestId } }
}

const genericErrors: readonly Declared[] = Object.values(generic)
const has = (errors: readonly Declared[], failure: Failure) =>
  errors.some(([status, detail]) => failure.status === status && failure.detail === detail)

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    isServer: true,
    errorFormatter: ({ error, ctx, input }) =>
      shape<GenericError>(
        genericError(error, validationIssues(error, input, ctx?.request.origin() ?? '')),
        ctx?.request.id,
      ),
  })

/** What a failure looks like that the operation has not declared. Never a word of an unforeseen cause. */
export function genericError(error: unknown, issues: ValidationIssue[] | undefined): GenericError {
  if (issues) return [422, issues]
  for (const each of Object.values(generic)) if (error instanceof Failure && has([each], error)) return each
  if (!(error instanceof Failure) && error instanceof Error && 'code' in error) {
    if (error.code === 'PARSE_ERROR' || error.code === 'BAD_REQUEST') return generic.brokenJson
    if (error.code === 'NOT_FOUND') return generic.notFound
    if (error.code === 'METHOD_NOT_SUPPORTED') return generic.methodNotAllowed
    if (error.code === 'PAYLOAD_TOO_LARGE') return generic.tooLarge
    if (error.code === 'UNSUPPORTED_MEDIA_TYPE') return generic.mediaType
  }
  return generic.internal
}

export const { router, mergeRouters, middleware } = t

/**
 * Starts a procedure: where it is served and every way it may fail. That one list feeds the OpenAPI document, the
 * client's error types and the guard, which turns a failure missing from it into a 500.
 */
export function endpoint<const Errors extends readonly Declared[]>(operation: Operation, errors: Errors) {
  const { method, path, summary, description } = operation
  return t.procedure
    .meta({
      openapi: {
        method,
        path,
        summary,
        ...(description ? { description } : {}),
        // Errors and tokens are described from `errors` and `operation`, see openapi/document.ts.
        errorResponses: [],
        protect: false,
      },
      operation,
      errors,
    })
    .errors(({ error, ctx }) => {
      const declared = errors[errors.findIndex((each) => error instanceof Failure && has([each], error))]
      return declared ? shape<Errors[number]>(declared, ctx.request.id) : undefined
    })
    .use(async ({ ctx, next }) => {
      // A file is bytes, which tRPC's JSON cannot carry: it is served over REST alone.
      if (operation.file && ctx.request.surface === 'trpc') throw new Failure(...generic.notFound)
      const result = await next({
        ctx: {
          /** Makes one of the declared failures of this operation, to be thrown. */
          failure: (...[status, detail]: Thrown<Errors[number]>) => new Failure(status, detail),
        },
      })
      if (result.ok || !(result.error instanceof Failure)) return result
      if (has(errors, result.error) || has(genericErrors, result.error)) return result
      throw new Error(
        `${path} failed with ${result.error.status} "${result.error.detail}", which it does not declare`,
        {
          cause: result.error,
        },
      )
    })
}
