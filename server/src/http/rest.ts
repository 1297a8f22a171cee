import type { IncomingMessage, ServerResponse } from 'node:http'
import { parse } from 'node:querystring'
import type { AnyRouter } from '@trpc/server'
import type { Logger } from 'pino'
import { Failure } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'
import type { RequestFacts } from '../telemetry/request-facts.ts'
import { noteRequest } from '../telemetry/request-log.ts'
import { nullRemover } from './body/absent-fields.ts'
import { trpcProcedureCaller } from './call-trpc-procedure.ts'
import type { Context } from './context.ts'
import type { SendError } from './error-response.ts'
import { FileResponse, NoFileResponse } from './file-response.ts'
import { addressHasher } from './hashed-address.ts'
import { sendJson } from './json-response.ts'
import { operations } from './operations.ts'
import type { ServedOperation } from './operations.ts'
import { pathTable } from './path-table.ts'
import { bodyReader } from './body/read-body.ts'
import { inputReader, placeOf } from './body/read-input.ts'
import type { RequestParts } from './body/read-input.ts'
import { splitRequestTarget } from './request.ts'
import type { CreateContext } from './request.ts'

interface Dependencies {
  log: Logger
  createContext: CreateContext
  sendError: SendError
}

/**
 * Serves every operation of `router` on its REST path by calling the procedure itself, with the same validation, guard
 * and errors as over tRPC; see docs/decisions/own-rest-adapter.md. The returned listener answers every method of those
 * paths. It returns false, and does nothing, for any other path.
 */
export function restListener(
  router: AnyRouter,
  surroundings: Dependencies,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const { log, sendError } = surroundings
  const ofPath = Map.groupBy(operations(router), ({ operation }) => operation.path)
  const find = pathTable([...ofPath].map(([path, served]) => [path, methodsOf(served, surroundings)]))
  return (request, response) => {
    const { path, query } = splitRequestTarget(request)
    const found = find(path)
    if (!found) return false
    const facts = noteRequest(log, request, response)
    const { handlers, allow } = found.served
    const handle = handlers.get(request.method ?? '')
    if (handle) {
      const sent = { parameters: found.parameters, query: parse(query), body: undefined }
      void handle(request, response, sent, facts)
    } else if (request.method === 'OPTIONS') response.writeHead(204, { allow }).end()
    else sendError(new Failure(...generic.methodNotAllowed, { headers: { allow } }), request, response)
    return true
  }
}

type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  sent: RequestParts,
  facts: RequestFacts,
) => Promise<void>

/** Builds the handlers of one path by method, and the value of its `Allow` header. */
function methodsOf(
  served: readonly ServedOperation[],
  surroundings: Dependencies,
): { handlers: Map<string, Handler>; allow: string } {
  const handlers = new Map<string, Handler>()
  for (const each of served) handlers.set(each.operation.method, handlerOf(each, surroundings))
  const get = handlers.get('GET')
  // Node omits the body of a response to HEAD.
  if (get) handlers.set('HEAD', get)
  return { handlers, allow: [...handlers.keys(), 'OPTIONS'].toSorted().join(', ') }
}

/** Builds the handler of one operation. */
function handlerOf(served: ServedOperation, { createContext, sendError }: Dependencies): Handler {
  const { file, recorded } = served.operation
  const readBody = bodyReader(served)
  const readInput = inputReader(served)
  const leaveOutNulls = nullRemover(served.input)
  const call = trpcProcedureCaller(served.procedure, served)
  const place = placeOf(served.operation)
  const hashAddress = addressHasher()
  return async (request, response, sent, facts) => {
    let input: unknown
    const read = async (ctx: Context) => {
      const { limits, request: caller } = ctx
      const countUnpacked = (bytes: number) => limits.countUnpacked(caller.address, bytes)
      if (readBody) sent.body = await readBody(request, countUnpacked)
      input = readInput(sent)
      leaveOutNulls?.(input)
      return input
    }
    let reading: Promise<unknown> | undefined
    try {
      facts.operation = served.path
      const ctx = createContext(request, response, 'rest')
      if (recorded) facts.source = hashAddress(ctx)
      const output = await call(ctx, () => (reading ??= read(ctx)))
      if (output instanceof FileResponse || output instanceof NoFileResponse)
        await output.send(response, file ?? 'application/octet-stream')
      else sendJson(response, 200, output)
    } catch (error) {
      sendError(error, request, response, { input, place: (way) => place(way, sent) })
    }
  }
}
