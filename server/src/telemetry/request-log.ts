import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestHandler } from 'express'
import type { Logger } from 'pino'
import { countRequest } from './request-metrics.ts'
import type { RestLocals } from '../http/rest.ts'

/** What nginx notes for it, for HTTP has no status of what nobody gets. */
const CLIENT_GONE = 499
const REQUEST_ID = /^[\w.-]{8,128}$/

declare module 'node:http' {
  interface IncomingMessage {
    /** The request id that the answer carries as `X-Request-Id`. */
    id?: string
    /** The trace that the request belongs to, when there are traces; see open-telemetry.ts. */
    traceId?: string
  }
}

/** A response that carries what the log and the error handler need to know of its request. */
export type Noted = ServerResponse & { locals: RestLocals }

/**
 * One log line a request, with the request id that the answer carries as `X-Request-Id`; a caller's own id is kept.
 * Neither URL nor headers are logged: they hold tokens and ids. The operation says which path it was.
 */
export function noteRequest(log: Logger, request: IncomingMessage, response: ServerResponse): Noted {
  const started = performance.now()
  const given = request.headers['x-request-id']
  const id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
  request.id = id
  response.setHeader('x-request-id', id)
  const locals: RestLocals = {}
  const noted = Object.assign(response, { locals })
  // Comes once, whether the answer went out whole or the client went away before.
  response.once('close', () => {
    const { statusCode: status, writableFinished } = noted
    const ms = performance.now() - started
    countRequest(locals.operation, writableFinished ? status : CLIENT_GONE, ms)
    const facts = {
      request_id: id,
      trace_id: request.traceId,
      ms: Math.round(ms),
      method: request.method,
      operation: locals.operation,
      status,
      source: locals.source,
      body_sha256: locals.body_sha256,
    }
    const isWhole = writableFinished && status < 500
    log[status < 500 ? 'info' : 'error'](facts, isWhole ? 'answered' : 'failed')
  })
  return noted
}

export const requestLog =
  (log: Logger): RequestHandler =>
  (request, response, next) => {
    noteRequest(log, request, response)
    next()
  }
