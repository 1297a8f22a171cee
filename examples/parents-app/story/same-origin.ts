import { once } from 'node:events'
import { createReadStream, existsSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { pipeline } from 'node:stream'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
}

export interface SameOrigin {
  url: string
  /** Whether the service can be reached. If not, connections break as they do in a tunnel. */
  connected: boolean
  /** The bytes of responses that still get through before connections break. */
  left: number
  stop: () => void
}

/** Serves the exported app and the service from one address, as a web server in front of both would. Port 0 is any free one. */
export async function serveSameOrigin(app: string, service: string, port = 0): Promise<SameOrigin> {
  const server = createServer((incoming, response) => {
    const path = new URL(incoming.url ?? '/', service).pathname
    if (!/^\/(api|trpc)\//.test(path)) serveFile(app, path, response)
    else if (front.connected) forward(front, service, incoming, response)
    else incoming.socket.destroy()
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const at = server.address()
  if (at === null || typeof at === 'string') throw new Error('The proxy has no port')
  const front: SameOrigin = {
    url: `http://127.0.0.1:${at.port}`,
    connected: true,
    left: Infinity,
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
  return front
}

function serveFile(app: string, path: string, response: ServerResponse): void {
  const wanted = join(app, normalize(path))
  const file = path !== '/' && existsSync(wanted) ? wanted : join(app, 'index.html')
  response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' })
  createReadStream(file).pipe(response)
}

function forward(front: SameOrigin, service: string, incoming: IncomingMessage, reply: ServerResponse): void {
  const { url = '/', method, headers } = incoming
  const onward = request(new URL(url, service), { method, headers }, (response) => {
    // The page may no longer wait for the response.
    if (reply.destroyed) {
      response.destroy()
      return
    }
    reply.writeHead(response.statusCode ?? 502, response.headers)
    pipeline(
      response,
      async function* (pieces: AsyncIterable<Buffer>) {
        for await (const piece of pieces) {
          front.left -= piece.length
          if (front.left < 0) throw new Error('The connection breaks')
          yield piece
        }
      },
      reply,
      () => undefined,
    )
  })
  pipeline(incoming, onward, (error) => error && reply.destroy())
}
