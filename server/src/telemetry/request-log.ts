import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestHandler } from 'express'
import type { Logger } from 'pino'
import { countClient, readClient } from './client.ts'
import type { RequestFacts } from './request-facts.ts'
import { countRequest } from './request-metrics.ts'

/** The status that nginx logs when the client closes the connection first; HTTP defines none. */
const CLIENT_GONE = 499
const REQUEST_ID = /^[\w.-]{8,128}$/

/**
 * Gives the request an id, which the response carries as `X-Request-Id`, or keeps the caller's own valid id. Writes one log
 * line per request when the response closes. URL and headers are not logged, because they hold tokens and ids; the
 * operation identifies the path.
 */
export function noteRequest(log: Logger, request: IncomingMessage, response: ServerResponse): RequestFacts {
  const started = performance.now()
  const given = request.headers['x-request-id']
  const id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
  const client = readClient(request.headers['x-client'])
  const facts: RequestFacts = { id, client }
  request.facts = facts
  response.setHeader('x-request-id', id)
  // `close` fires exactly once, whether the response was sent completely or the client disconnected first.
  response.once('close', () => {
    const { statusCode: status, writableFinished } = response
    const { operation, source, body_sha256 } = facts
    const ms = performance.now() - started
    countRequest(operation, writableFinished ? status : CLIENT_GONE, ms)
    if (client) countClient(client)
    const line = {
      request_id: id,
      trace_id: request.traceId,
      ms: Math.round(ms),
      method: request.method,
      operation,
      status,
      client: client && request.headers['x-client'],
      source,
      body_sha256,
    }
    if (status >= 500) log.error(line, 'request failed')
    else log.info(line, writableFinished ? 'answered' : 'request aborted')
  })
  return facts
}

/** Express middleware that calls `noteRequest`. */
export const requestLog =
  (log: Logger): RequestHandler =>
  (request, response, next) => {
    noteRequest(log, request, response)
    next()
  }
