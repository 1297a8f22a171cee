import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'

export interface Received {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
  bytes: Buffer
}

export interface LocalServer {
  url: string
  received: Received[]
}

/** Starts a local stand-in for another party's server, for one test: records requests and answers with `answer`. */
export async function listen(
  answer: (response: ServerResponse, request: Received) => void,
): Promise<LocalServer> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const bytes = Buffer.concat(chunks)
      const noted = { method, path: url, headers, bytes, body: bytes.toString() }
      received.push(noted)
      answer(response, noted)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, received }
}

/** A port on which no process listens. */
export async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}
