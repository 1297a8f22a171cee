import type { ErrorRequestHandler, RequestHandler } from 'express'
import type { Logger } from 'pino'
import { Failure } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'
import { genericError } from './endpoint.ts'
import type { RestLocals } from './rest.ts'
import { validationIssues } from './validation-issues.ts'

/** Whatever has no path here. */
export const notFound: RequestHandler = () => {
  throw new Failure(...generic.notFound)
}

/** Turns whatever was thrown into `{"detail": …}`; the cause of what is unforeseen goes to the log only. */
export const errorHandler =
  (log: Logger, publicUrl: string | undefined): ErrorRequestHandler =>
  (error: unknown, request, response, next) => {
    const { place, input }: RestLocals = response.locals
    const origin = publicUrl ?? `${request.protocol}://${request.host}`
    const [status, detail] =
      error instanceof Failure
        ? [error.status, error.detail]
        : (parsingError(error) ?? genericError(error, validationIssues(error, input, origin, place)))
    if (status === 500) log.error({ err: error, request_id: request.id }, 'unforeseen')
    if (response.headersSent) return next(error)
    if (error instanceof Failure) response.set(error.headers)
    if (status === 401) response.set('www-authenticate', 'Bearer')
    // A body that was not read would be taken for the next request.
    if (!request.complete) response.set('connection', 'close')
    response.status(status).json({ detail })
  }

/** What express and its body parsers throw: an `http-errors` object with the status it means. */
function parsingError(error: unknown) {
  if (!(error instanceof Error)) return undefined
  if (error instanceof URIError) return generic.notFound
  const status: unknown = Reflect.get(error, 'status')
  if (typeof status !== 'number' || status >= 500) return undefined
  if (status === 413) return generic.tooLarge
  if (status === 415) return generic.mediaType
  return generic.brokenJson
}
