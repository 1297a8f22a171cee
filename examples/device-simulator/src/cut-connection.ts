import { once } from 'node:events'
import net from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import tls from 'node:tls'

import type { WireRequest } from './send.ts'

/** Time for the bytes to reach the server, which must see half a body and not an empty connection. */
const TRAVEL_MILLISECONDS = 30

/**
 * Starts a request on a raw socket, announces the whole body, and hangs up in the middle of the body, or after it and
 * before the response. `share` is the part of the body to send: below 1, at least one byte and never all; at 1, all of it.
 * Never throws: a connection that cannot be opened within `timeout` milliseconds counts as cut. Resolves to the number of
 * body bytes sent.
 */
export async function cutConnection(request: WireRequest, share: number, timeout: number): Promise<number> {
  const { url, headers, body } = request
  const length = share === 1 ? body.length : partialLength(body, share)
  const head = [
    `POST ${url.pathname}${url.search} HTTP/1.1`,
    `host: ${url.host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${body.length}`,
    '\r\n',
  ].join('\r\n')

  const host = url.hostname.replace(/^\[|\]$/g, '')
  const secure = url.protocol === 'https:'
  const port = Number(url.port || (secure ? 443 : 80))
  const socket = secure
    ? tls.connect({ host, port, servername: net.isIP(host) ? '' : host })
    : net.connect({ host, port })
  // A device that is out of reach ignores an early response and a reset.
  socket.on('error', () => {})
  socket.resume()
  const timer = setTimeout(() => socket.destroy(new Error('No progress in time')), timeout)
  try {
    await once(socket, secure ? 'secureConnect' : 'connect')
    socket.write(head)
    await new Promise<void>((resolve, reject) => {
      socket.write(body.subarray(0, length), (error) => (error ? reject(error) : resolve()))
    })
    await pause(TRAVEL_MILLISECONDS)
    return length
  } catch {
    return 0
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
}

/** Number of bytes in a share of a body: at least one, never all. */
export const partialLength = ({ length }: Uint8Array, share: number): number =>
  Math.min(length - 1, Math.max(1, Math.floor(length * share)))
