import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestHandler } from 'express'
import type { Logger } from 'pino'
import type { RequestFacts } from './request-facts.ts'
import { countRequest } from './request-metrics.ts'

/** What nginx notes for it, for HTTP has no status of what nobody gets. */
const CLIENT_GONE = 499
const REQUEST_ID = /^[\w.-]{8,128}$/

/**
 * One log line a request, with the request id that the answer carries as `X-Request-Id`; a caller's own id is kept.
 * Neither URL nor headers are logged: they hold tokens and ids. The operation says which path it was.
 */
export function noteRequest(log: Logger, request: IncomingMessage, response: ServerResponse): RequestFacts {
  const started = performance.now()
  const given = request.headers['x-request-id']
  const id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
  const facts: RequestFacts = { id }
  request.facts = facts
  response.setHeader('x-request-id', id)
  // Comes once, whether the answer went out whole or the client went away before.
  response.once('close', () => {
    const { statusCode: status, writableFinished } = response
    const { operation, source, body_sha256 } = facts
    const ms = performance.now() - started
    countRequest(operation, writableFinished ? status : CLIENT_GONE, ms)
    const line = {
      request_id: id,
      trace_id: request.traceId,
      ms: Math.round(ms),
      method: request.method,
      operation,
      status,
      source,
      body_sha256,
    }
    const isWhole = writableFinished && status < 500
    log[status < 500 ? 'info' : 'error'](line, isWhole ? 'answered' : 'failed')
  })
  return facts
}

export const requestLog =
  (log: Logger): RequestHandler =>
  (request, response, next) => {
    noteRequest(log, request, response)
    next()
  }
