import { request } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'

interface RawResponse {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** Sends HTTP without the corrections of `fetch`: any method, the path unchanged, a body in pieces. */
export function raw(
  origin: string,
  method: string,
  path: string,
  { headers = {}, body = [] }: { headers?: Record<string, string>; body?: (string | Uint8Array)[] } = {},
): Promise<RawResponse> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    for (const piece of body) sent.write(piece)
    sent.end()
  })
}
