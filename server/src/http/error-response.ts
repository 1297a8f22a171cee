import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorRequestHandler, RequestHandler } from 'express'
import type { Logger } from 'pino'
import { Failure } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'
import { deviceError, looksLikeDeviceCall } from './device-error.ts'
import { genericError } from './endpoint.ts'
import type { Forwarded } from './forwarded.ts'
import { pageHeaders, renderPage } from './html-page.ts'
import { preferredLanguage } from './language.ts'
import { sendJson } from './json-response.ts'
import { discardBody, hasBody } from './body/receive-body.ts'
import { validationIssues } from './validation-issues.ts'
import type { LocateIssue, ValidationIssue } from './validation-issues.ts'

/** Answers a request with a thrown error; `asked` is the input that was validated, if the request got that far. */
export type SendError = (
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  asked?: { input: unknown; place?: LocateIssue },
) => void

/** Makes the body that tells a client of an error. */
export type ErrorBody = (
  status: number,
  detail: string | readonly ValidationIssue[],
  request: IncomingMessage,
) => unknown

/** The time after which a call that needed another machine may be tried again. */
const RETRY_SECONDS = 10

/** Answers any error, over REST as `{"detail": …}`. The cause of an unhandled error error goes only to the log. */
export const errorResponder =
  (
    log: Logger,
    { originOf }: Pick<Forwarded, 'originOf'>,
    bodyOf: ErrorBody = (_status, detail) => ({ detail }),
    contentType?: string,
  ): SendError =>
  (error, request, response, asked) => {
    const [status, detail] =
      error instanceof Failure
        ? [error.status, error.detail]
        : (parsingError(error) ??
          genericError(error, validationIssues(error, asked?.input, originOf(request), asked?.place)))
    if (status === 500) log.error({ err: error, request_id: request.facts?.id }, 'unhandled error')
    if (status === 503)
      log.warn({ err: error, request_id: request.facts?.id }, 'part of the service is out of reach')
    // A partly sent answer cannot be replaced: close the connection, so that the client does not take it for complete.
    if (response.headersSent) {
      response.destroy()
      return
    }
    if (error instanceof Failure)
      for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value)
    if (status === 401 && !response.hasHeader('www-authenticate'))
      response.setHeader('www-authenticate', challengeOf(request, detail))
    if (status === 503) response.setHeader('retry-after', String(RETRY_SECONDS))
    if (looksLikeDeviceCall(request)) response.setHeader('x-error', deviceError(status, detail, error))
    const isUnread = () => hasBody(request) && !request.complete
    const send = () => {
      // On a connection kept open, the unread rest of the body would be parsed as the next request.
      if (isUnread()) response.setHeader('connection', 'close')
      if (!response.headersSent) sendJson(response, status, bodyOf(status, detail, request), contentType)
    }
    // A caller that sends everything before it reads, and a proxy in between, would lose a response that comes earlier.
    if (isUnread() && response.getHeader('connection') !== 'close') void afterBody(request, send)
    else send()
  }

async function afterBody(request: IncomingMessage, send: () => void): Promise<void> {
  await discardBody(request)
  send()
}

/** Tells a client whether its token is to blame (RFC 6750, 3.1), which it is not where an account may not reach a child. */
const challengeOf = ({ headers }: IncomingMessage, detail: unknown) =>
  /^bearer /i.test(headers.authorization ?? '') && detail !== 'Not authorized user'
    ? 'Bearer error="invalid_token"'
    : 'Bearer'

/** Maps an `http-errors` object, as Express and its body parsers throw, to a generic error by its status. */
function parsingError(error: unknown) {
  if (!(error instanceof Error)) return undefined
  const status: unknown = Reflect.get(error, 'status')
  if (typeof status !== 'number' || status >= 500) return undefined
  if (status === 413) return generic.tooLarge
  if (status === 415) return generic.mediaType
  return generic.brokenJson
}

/** Express middleware that answers 404 for unknown paths: a page for a person in a browser, JSON for a program. */
export const notFound: RequestHandler = (request, response) => {
  const isForPrograms = /^\/(?:api|trpc|oauth|fhir)(?:\/|$)/.test(request.path)
  if (isForPrograms || request.accepts(['json', 'html']) !== 'html') throw new Failure(...generic.notFound)
  const [heading, advice] = nowhere[preferredLanguage(request.headers)]
  response
    .status(404)
    .set(pageHeaders)
    .send(renderPage(preferredLanguage(request.headers), heading, `<p>${advice}</p>`))
}

const nowhere = {
  en: ['There is no such page', 'Check the address, or open the link in the mail again.'],
  ko: ['페이지를 찾을 수 없습니다', '주소를 확인하거나 메일에 있는 링크를 다시 열어 주세요.'],
} as const

/** Express middleware that answers errors. */
export const errorHandler =
  (sendError: SendError): ErrorRequestHandler =>
  // Express recognizes error handlers by their four parameters.
  (error, request, response, _next) =>
    sendError(error, request, response)
