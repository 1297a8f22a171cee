import { createServer, ServerResponse, STATUS_CODES } from 'node:http'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Declared } from '../errors/failure.ts'
import { hasBody } from './read-body.ts'
import { slowBodies } from './slow-bodies.ts'
import type { BodyPace } from './slow-bodies.ts'

/**
 * A client may take 10 s for headers, or for a body without progress; the last second is for the check on a busy machine.
 * A body that makes progress may take two minutes, in which a megabyte comes at 64 kbit/s.
 */
const HEADERS_MS = 9000
const BODY_WINDOW_MS = 9000
const CHECK_MS = 500
const REQUEST_MS = 120_000
const BODY_BYTES_PER_SECOND = 1000
/** Longer than load balancers keep an idle connection, so that they never write to one that is closing. */
const KEEP_ALIVE_MS = 65_000
/**
 * How long a connection may go without a byte in either direction, for example if a client does not read its answer.
 */
const SILENT_MS = 120_000
const MOST_HEADER_BYTES = 8192
const MOST_CONNECTIONS = 10_000

/**
 * Creates an HTTP server that limits the time of requests and the number of connections, and answers refusals as JSON.
 */
export function createHttpServer(listener: RequestListener, patience: Partial<Patience> = {}): Server {
  const {
    headersMs = HEADERS_MS,
    requestMs = REQUEST_MS,
    windowMs = BODY_WINDOW_MS,
    bytesPerSecond = BODY_BYTES_PER_SECOND,
    checkMs = CHECK_MS,
  } = patience
  const bodies = slowBodies({ windowMs, bytesPerSecond, checkMs })
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: checkMs,
      maxHeaderSize: MOST_HEADER_BYTES,
      // The listener below checks the Host header: Node itself would refuse the request without a body.
      requireHostHeader: false,
    },
    (request, response) => {
      const isNameless = request.headers.host === undefined && request.httpVersion === '1.1'
      if (isNameless) return turnAway(response, malformed)
      if (hasBody(request)) bodies.watch(request, () => giveUp(request, response))
      listener(request, response)
    },
  )
  server.on('checkExpectation', (_request, response) => turnAway(response, unexpected))
  server.setTimeout(SILENT_MS)
  server.maxConnections = MOST_CONNECTIONS
  server.on('clientError', refuse)
  const checks = setInterval(() => bodies.check(performance.now()), checkMs).unref()
  server.once('close', () => clearInterval(checks))
  return server
}

export interface Patience extends BodyPace {
  /** The time limit for the headers of a request. */
  headersMs: number
  /** The time limit for a whole request. */
  requestMs: number
}

/** Answers input that never became a request; Node would answer it without a body. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  const answer: unknown = Reflect.get(socket, '_httpMessage')
  const isAnswered = answer instanceof ServerResponse && answer.headersSent
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswered) return void socket.destroy()
  const [status, detail] = refusals[error.code ?? ''] ?? malformed
  const body = JSON.stringify({ detail })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  )
}

/** Refuses a parsed request through its response, because answers to earlier requests may still precede it. */
function turnAway(response: ServerResponse, [status, detail]: Declared): void {
  response.statusCode = status
  // The body of the request was not read.
  response.shouldKeepAlive = false
  response.setHeader('Content-Type', 'application/json; charset=utf-8').end(JSON.stringify({ detail }))
}

/** Ends a request whose body does not come; an answer that was begun cannot be replaced. */
function giveUp(request: IncomingMessage, response: ServerResponse): void {
  if (response.headersSent) request.destroy()
  else turnAway(response, late)
}

const malformed: Declared = [400, 'Request is not valid HTTP']
const unexpected: Declared = [417, 'Request expects what is not offered']

const late: Declared = [408, 'Request took too long']

const refusals: Partial<Record<string, Declared>> = {
  ERR_HTTP_REQUEST_TIMEOUT: late,
  HPE_HEADER_OVERFLOW: [431, 'Request headers are too large'],
}
