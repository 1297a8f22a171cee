import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorRequestHandler, RequestHandler } from 'express'
import type { Logger } from 'pino'
import { Failure } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'
import { genericError } from './endpoint.ts'
import type { Forwarded } from './forwarded.ts'
import { sendJson } from './json-answer.ts'
import { validationIssues } from './validation-issues.ts'
import type { Place } from './validation-issues.ts'

/** Answers a request with the error that was thrown; `asked` is the input that validation has looked at, if it has. */
export type AnswerError = (
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  asked?: { input: unknown; place: Place },
) => void

/** Turns any error into `{"detail": …}`; the cause of an unforeseen one goes to the log only. */
export const errorAnswerer =
  (log: Logger, { originOf }: Pick<Forwarded, 'originOf'>): AnswerError =>
  (error, request, response, asked) => {
    const [status, detail] =
      error instanceof Failure
        ? [error.status, error.detail]
        : (parsingError(error) ??
          genericError(error, validationIssues(error, asked?.input, originOf(request), asked?.place)))
    if (status === 500) log.error({ err: error, request_id: request.facts?.id }, 'unforeseen')
    // Half an answer cannot be taken back: the connection ends, so that nobody takes it for a whole one.
    if (response.headersSent) {
      response.destroy()
      return
    }
    if (error instanceof Failure)
      for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value)
    if (status === 401) response.setHeader('www-authenticate', 'Bearer')
    // A body that was not read would be taken for the next request.
    if (!request.complete) response.setHeader('connection', 'close')
    sendJson(response, status, { detail })
  }

/** What Express and its body parsers throw: an `http-errors` object with the status it means. */
function parsingError(error: unknown) {
  if (!(error instanceof Error)) return undefined
  const status: unknown = Reflect.get(error, 'status')
  if (typeof status !== 'number' || status >= 500) return undefined
  if (status === 413) return generic.tooLarge
  if (status === 415) return generic.mediaType
  return generic.brokenJson
}

/** What Express does with a path that nobody serves. */
export const notFound: RequestHandler = () => {
  throw new Failure(...generic.notFound)
}

/** Answers errors of what Express serves. */
export const errorHandler =
  (answerError: AnswerError): ErrorRequestHandler =>
  // Express tells error handlers from others by their four parameters.
  (error, request, response, _next) =>
    answerError(error, request, response)
