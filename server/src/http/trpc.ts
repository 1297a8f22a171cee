import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AnyRouter } from '@trpc/server'
import type { Logger } from 'pino'
import { Failure } from '../errors/failure.ts'
import { generic, trpcErrors } from '../errors/generic.ts'
import { noteRequest } from '../telemetry/request-log.ts'
import { nullRemover } from './body/absent-fields.ts'
import { trpcProcedureCaller } from './call-trpc-procedure.ts'
import { trpcErrorShape } from './endpoint.ts'
import type { SendError, ErrorBody } from './error-response.ts'
import { sendJson } from './json-response.ts'
import { operations } from './operations.ts'
import type { ServedOperation } from './operations.ts'
import { rpcBodyReader } from './body/read-body.ts'
import { splitRequestTarget } from './request.ts'
import type { CreateContext } from './request.ts'

const MOUNT = '/trpc/'

interface Dependencies {
  log: Logger
  createContext: CreateContext
  /** Answers an error with `rpcErrorBody`. */
  sendError: SendError
}

/** The body of an error as clients of tRPC read it. */
export const rpcErrorBody: ErrorBody = (status, detail, request) => ({
  error: trpcErrorShape([status, detail], request.facts?.id),
})

/**
 * Serves every operation of `router` at `/trpc/<name>` to clients of tRPC, one call a request; see
 * docs/decisions/own-trpc-adapter.md. The returned listener returns false, and does nothing, for any other path.
 */
export function trpcListener(
  router: AnyRouter,
  surroundings: Dependencies,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const { log, sendError } = surroundings
  const ofName = new Map(operations(router).map((served) => [served.path, handlerOf(served, surroundings)]))
  return (request, response) => {
    const { path, query } = splitRequestTarget(request)
    if (!path.startsWith(MOUNT)) return false
    noteRequest(log, request, response)
    const sent = new URLSearchParams(query)
    const handle = ofName.get(path.slice(MOUNT.length))
    if (isBatch(request, sent)) sendError(new Failure(...trpcErrors.batch), request, response)
    else if (handle) void handle(request, response, sent)
    else sendError(new Failure(...generic.notFound), request, response)
    return true
  }
}

/** Whether a request holds several calls, or wants the responses of several as a stream. */
const isBatch = ({ headers }: IncomingMessage, query: URLSearchParams) =>
  query.has('batch') || (headers['trpc-accept'] ?? headers.accept) === 'application/jsonl'

/** Builds the handler of one operation. */
function handlerOf(served: ServedOperation, { createContext, sendError }: Dependencies) {
  const { path, type, operation } = served
  const allow = type === 'query' ? 'GET, HEAD' : 'POST'
  const readBody = rpcBodyReader(served)
  const leaveOutNulls = nullRemover(served.input)
  const call = trpcProcedureCaller(served.procedure, served)
  return async (request: IncomingMessage, response: ServerResponse, query: URLSearchParams) => {
    let input: unknown
    const read = async () => {
      input = type === 'query' ? inputIn(query) : await readBody(request)
      leaveOutNulls?.(input)
      return input
    }
    let reading: Promise<unknown> | undefined
    try {
      // Only what exists has a name in log and metrics: everything else is what a caller wrote.
      if (request.facts) request.facts.operation = path
      if (operation.file) throw new Failure(...trpcErrors.file)
      if (!allow.split(', ').includes(request.method ?? ''))
        throw new Failure(...generic.methodNotAllowed, { headers: { allow } })
      // It has come already, and is judged as ever before the token.
      if (type === 'query') await (reading = read())
      const data = await call(createContext(request, response, 'trpc'), () => (reading ??= read()))
      sendJson(response, 200, { result: { data } })
    } catch (error) {
      sendError(error, request, response, { input })
    }
  }
}

/** The input of a query, which comes as JSON in the parameter `input`. */
function inputIn(query: URLSearchParams): unknown {
  const text = query.get('input')
  if (!text) return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new Failure(...generic.brokenJson)
  }
}
