import { createServer, ServerResponse, STATUS_CODES } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import type { Duplex } from 'node:stream'

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
    },
    listener,
  )
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

const malformed = [400, 'Request is not valid HTTP'] as const

const refusals: Partial<Record<string, readonly [status: number, detail: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request took too long'],
  HPE_HEADER_OVERFLOW: [431, 'Request headers are too large'],
}
