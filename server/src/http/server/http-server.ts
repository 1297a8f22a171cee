import { createServer, ServerResponse, STATUS_CODES } from 'node:http'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ErrorDeclaration } from '../../errors/failure.ts'
import { httpErrors } from '../../errors/generic.ts'
import { allowedOrigin, exposedHeaders } from './security-headers.ts'
import { deviceError, looksLikeDeviceCall } from '../device-error.ts'
import { hasBody } from '../body/receive-body.ts'
import { createBodyRateLimiter } from '../body/slow-bodies.ts'
import type { BodyRateLimit } from '../body/slow-bodies.ts'

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
 * How long a connection may go without a byte in either direction, for example if a client does not read its response.
 */
const SILENT_MS = 120_000
const MOST_HEADER_BYTES = 8192
const MOST_CONNECTIONS = 10_000

/**
 * Creates an HTTP server that limits the time of requests and the number of connections, and answers errors as JSON, which
 * pages of `corsOrigins` may read.
 */
export function createHttpServer(
  listener: RequestListener,
  { corsOrigins = [], ...timeouts }: Partial<Timeouts> & { corsOrigins?: readonly string[] } = {},
): Server {
  const {
    headersMs = HEADERS_MS,
    requestMs = REQUEST_MS,
    windowMs = BODY_WINDOW_MS,
    bytesPerSecond = BODY_BYTES_PER_SECOND,
    checkMs = CHECK_MS,
  } = timeouts
  const bodies = createBodyRateLimiter({ windowMs, bytesPerSecond, checkMs })
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: checkMs,
      maxHeaderSize: MOST_HEADER_BYTES,
      // The service checks the Host header (request-defect.ts): Node itself would refuse the request without a body.
      requireHostHeader: false,
    },
    (request, response) => {
      if (hasBody(request)) bodies.watch(request, () => giveUp(request, response))
      listener(request, response)
    },
  )
  // Node itself would refuse it without a body.
  server.on('checkExpectation', listener)
  server.setTimeout(SILENT_MS)
  server.maxConnections = MOST_CONNECTIONS
  server.on('clientError', refuser(corsOrigins))
  const checks = setInterval(() => bodies.check(performance.now()), checkMs).unref()
  server.once('close', () => clearInterval(checks))
  return server
}

export interface Timeouts extends BodyRateLimit {
  /** The time limit for the headers of a request. */
  headersMs: number
  /** The time limit for a whole request. */
  requestMs: number
}

/**
 * Answers input that never became a request, or whose body does not end as it was announced; Node would answer it without a
 * body. The sender may be a device: its path cannot always be read.
 */
const refuser =
  (corsOrigins: readonly string[]) =>
  (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Duplex): void => {
    const response: unknown = Reflect.get(socket, '_httpMessage')
    const begun = response instanceof ServerResponse ? response : undefined
    if (error.code === 'ECONNRESET' || !socket.writable || begun?.headersSent) return void socket.destroy()
    const [status, detail] = errors[error.code ?? ''] ?? malformed
    const body = JSON.stringify({ detail })
    const [, named] = /\r\norigin:[ \t]*(\S+)/i.exec(error.rawPacket?.toString('latin1') ?? '') ?? []
    const origin = allowedOrigin(corsOrigins, begun?.req.headers.origin ?? named)
    const headers = {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      // A body that was begun was damaged on its way.
      'X-Error': begun ? 'busy' : deviceError(status, detail),
      ...(origin === undefined
        ? {}
        : {
            'Access-Control-Allow-Origin': origin,
            'Access-Control-Expose-Headers': exposedHeaders,
            Vary: 'Origin',
          }),
      Connection: 'close',
    }
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`, () =>
      socket.destroy(),
    )
  }

/**
 * Ends a request whose body does not come, through its response, because answers to earlier requests may still precede it.
 * A response that was begun cannot be replaced.
 */
function giveUp(request: IncomingMessage, response: ServerResponse): void {
  if (response.headersSent) return void request.destroy()
  const [status, detail] = late
  if (looksLikeDeviceCall(request)) response.setHeader('X-Error', deviceError(status, detail))
  response.statusCode = status
  // The body of the request was not read.
  response.shouldKeepAlive = false
  response.setHeader('Content-Type', 'application/json; charset=utf-8').end(JSON.stringify({ detail }))
}

const { malformed, late, largeHeaders } = httpErrors

const errors: Partial<Record<string, ErrorDeclaration>> = {
  ERR_HTTP_REQUEST_TIMEOUT: late,
  HPE_HEADER_OVERFLOW: largeHeaders,
}
