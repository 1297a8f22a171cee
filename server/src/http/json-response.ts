import type { ServerResponse } from 'node:http'
import { gzip, gzipSync } from 'node:zlib'
import Negotiator from 'negotiator'
import { isDeviceCall } from './device-error.ts'

/** Below this size in bytes, packing saves no packet. */
const LEAST_PACKED = 1000
/** Up to this size in bytes, handing the work to a thread costs more than the work. */
const MOST_AT_ONCE = 32_000
/** A small window: to clear a large one takes longer than to pack a response of some kilobytes. */
const PACKING = { level: 1, windowBits: 12, memLevel: 5 }

/**
 * Answers `value` as JSON, compressed if it is large and the client accepts that; see docs/decisions/compression.md. For a
 * HEAD request, Node sends only the headers.
 */
export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  contentType = 'application/json; charset=utf-8',
): void {
  // Sent as a string, so that Node writes head and body together. `latin1` skips the encoding of pure ASCII.
  const body = JSON.stringify(value)
  const length = Buffer.byteLength(body)
  const send = (content: string | Buffer, size: number) => {
    response
      .writeHead(status, { 'content-type': contentType, 'content-length': size })
      .end(content, size === content.length ? 'latin1' : 'utf8')
  }
  if (length < LEAST_PACKED || isDeviceCall(response.req)) return send(body, length)
  response.appendHeader('vary', 'Accept-Encoding')
  if (!acceptsGzip(response)) return send(body, length)
  response.setHeader('content-encoding', 'gzip')
  if (length > MOST_AT_ONCE)
    gzip(body, PACKING, (error, packed) => (error ? response.destroy(error) : send(packed, packed.length)))
  else {
    const packed = gzipSync(body, PACKING).toString('latin1')
    send(packed, packed.length)
  }
}

/** Whether the client would rather have gzip than nothing of the kind (RFC 9110, 12.5.3). */
export const acceptsGzip = ({ req: { headers } }: ServerResponse): boolean =>
  headers['accept-encoding'] !== undefined &&
  new Negotiator({ headers }).encoding(['gzip', 'identity']) === 'gzip'
