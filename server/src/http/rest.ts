import type { IncomingMessage, ServerResponse } from 'node:http'
import { parse } from 'node:querystring'
import type { AnyRouter } from '@trpc/server'
import type { Logger } from 'pino'
import { Failure } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'
import type { RequestFacts } from '../telemetry/request-facts.ts'
import { noteRequest } from '../telemetry/request-log.ts'
import { procedureCaller } from './call-procedure.ts'
import type { AnswerError } from './error-answer.ts'
import { FileAnswer } from './file-answer.ts'
import { addressHasher } from './hashed-address.ts'
import { sendJson } from './json-answer.ts'
import { operations } from './operations.ts'
import type { ServedOperation } from './operations.ts'
import { pathTable } from './path-table.ts'
import { bodyReader } from './read-body.ts'
import { inputReader, placeOf } from './read-input.ts'
import type { Sent } from './read-input.ts'
import { targetOf } from './request.ts'
import type { CreateContext } from './request.ts'

interface Surroundings {
  log: Logger
  createContext: CreateContext
  answerError: AnswerError
}

/**
 * Serves every operation of `router` on its REST path by calling the procedure itself, with the same validation, guard
 * and errors as over tRPC; see docs/decisions/own-rest-adapter.md. The returned listener answers every method of those
 * paths. It returns false, and does nothing, for any other path.
 */
export function restListener(
  router: AnyRouter,
  surroundings: Surroundings,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const { log, answerError } = surroundings
  const ofPath = Map.groupBy(operations(router), ({ operation }) => operation.path)
  const find = pathTable([...ofPath].map(([path, served]) => [path, methodsOf(served, surroundings)]))
  return (request, response) => {
    const { path, query } = targetOf(request)
    const found = find(path)
    if (!found) return false
    const facts = noteRequest(log, request, response)
    const { answers, allow } = found.served
    const answer = answers.get(request.method ?? '')
    if (answer) {
      const sent = { parameters: found.parameters, query: parse(query), body: undefined }
      void answer(request, response, sent, facts)
    } else if (request.method === 'OPTIONS') response.writeHead(204, { allow }).end()
    else answerError(new Failure(...generic.methodNotAllowed, { headers: { allow } }), request, response)
    return true
  }
}

type Answer = (
  request: IncomingMessage,
  response: ServerResponse,
  sent: Sent,
  facts: RequestFacts,
) => Promise<void>

/** Builds the handlers of one path by method, and the value of its `Allow` header. */
function methodsOf(
  served: readonly ServedOperation[],
  surroundings: Surroundings,
): { answers: Map<string, Answer>; allow: string } {
  const answers = new Map<string, Answer>()
  for (const each of served) answers.set(each.operation.method, answerOf(each, surroundings))
  const get = answers.get('GET')
  // Node omits the body of an answer to HEAD.
  if (get) answers.set('HEAD', get)
  return { answers, allow: [...answers.keys(), 'OPTIONS'].toSorted().join(', ') }
}

/** Builds the handler of one operation. */
function answerOf(served: ServedOperation, { createContext, answerError }: Surroundings): Answer {
  const { file, recorded } = served.operation
  const readBody = bodyReader(served.operation)
  const readInput = inputReader(served)
  const call = procedureCaller(served.procedure, served)
  const place = placeOf(served.operation)
  const hashAddress = addressHasher()
  return async (request, response, sent, facts) => {
    let input: unknown
    try {
      if (readBody) sent.body = await readBody(request, response)
      input = readInput(sent)
      facts.operation = served.path
      const ctx = createContext(request, response, 'rest')
      if (recorded) facts.source = hashAddress(ctx)
      const answer = await call(ctx, input)
      if (answer instanceof FileAnswer) await answer.send(response, file ?? 'application/octet-stream')
      else sendJson(response, 200, answer)
    } catch (error) {
      answerError(error, request, response, { input, place: (way) => place(way, sent) })
    }
  }
}
