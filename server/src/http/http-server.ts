import { createServer, ServerResponse, STATUS_CODES } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Declared } from '../errors/failure.ts'

/** How long a client may take; in two minutes a megabyte arrives even at 64 kbit/s. */
const HEADERS_MS = 15_000
const REQUEST_MS = 120_000
/** Longer than load balancers keep an idle connection, so that they never write into one that closes. */
const KEEP_ALIVE_MS = 65_000
/** Without a byte in either direction, as when a client does not read its answer. */
const SILENT_MS = 120_000
const MOST_HEADER_BYTES = 8192
const MOST_CONNECTIONS = 10_000

/** An HTTP server that gives up on clients that are too slow or too many, each with an answer in JSON. */
export function createHttpServer(listener: RequestListener, patience: Partial<Patience> = {}): Server {
  const { headersMs = HEADERS_MS, requestMs = REQUEST_MS, checkMs = 5000 } = patience
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: checkMs,
      maxHeaderSize: MOST_HEADER_BYTES,
      // Asked for below: Node itself would refuse without a body, as it does expectations.
      requireHostHeader: false,
    },
    (request, response) => {
      const isNameless = request.headers.host === undefined && request.httpVersion === '1.1'
      if (isNameless) turnAway(response, malformed)
      else listener(request, response)
    },
  )
  server.on('checkExpectation', (_request, response) => turnAway(response, unexpected))
  server.setTimeout(SILENT_MS)
  server.maxConnections = MOST_CONNECTIONS
  server.on('clientError', refuse)
  return server
}

export interface Patience {
  /** Until the headers of a request are there. */
  headersMs: number
  /** Until a request is there whole. */
  requestMs: number
  /** How often both are looked at. */
  checkMs: number
}

/** Answers what never became a request; Node would do so without a body. */
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

/** The same for what did become a request: answers to earlier ones may still be under way before it. */
function turnAway(response: ServerResponse, [status, detail]: Declared): void {
  response.statusCode = status
  // Its body was not read.
  response.shouldKeepAlive = false
  response.setHeader('Content-Type', 'application/json; charset=utf-8').end(JSON.stringify({ detail }))
}

const malformed: Declared = [400, 'Request is not valid HTTP']
const unexpected: Declared = [417, 'Request expects what is not offered']

const refusals: Partial<Record<string, Declared>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request took too long'],
  HPE_HEADER_OVERFLOW: [431, 'Request headers are too large'],
}
