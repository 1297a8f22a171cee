import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { gunzipSync } from 'node:zlib'

/** A received request. `body` is unpacked; `whole` is false when the sender hung up. */
export interface RecordedRequest {
  path: string
  headers: IncomingHttpHeaders
  body: string
  whole: boolean
}

/** A response of the recording server. */
export interface ScriptedResponse {
  status: number
  headers?: Record<string, string>
  body: unknown
}

export const SAVED_RESPONSE: ScriptedResponse = {
  status: 200,
  body: { statusCode: 200, message: 'Devlog saved' },
}

/** Starts a server for tests that records requests and answers whole ones by the given rule. */
export async function startRecordingServer(
  answer: (request: RecordedRequest, number: number) => ScriptedResponse,
): Promise<{ url: string; requests: RecordedRequest[]; [Symbol.asyncDispose](): Promise<void> }> {
  const requests: RecordedRequest[] = []
  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const chunks: Uint8Array[] = []
    const request: RecordedRequest = {
      path: incoming.url ?? '',
      headers: incoming.headers,
      body: '',
      whole: false,
    }
    requests.push(request)
    try {
      for await (const chunk of incoming) chunks.push(chunk)
      request.whole = true
    } catch {
      request.body = Buffer.concat(chunks).toString()
      return
    }
    const bytes = Buffer.concat(chunks)
    request.body = (incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString()
    const { status, headers, body } = answer(request, requests.length)
    outgoing.writeHead(status, { 'content-type': 'application/json', ...headers })
    outgoing.end(typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body))
  }
  const server = createServer((incoming, outgoing) => void respond(incoming, outgoing))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port')

  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
