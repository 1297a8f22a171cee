import { connect } from 'node:http2'

export interface Http2Response {
  status: number
  headers: Record<string, string>
  text: string
}

interface Sent {
  headers?: Record<string, string>
  body?: string | Uint8Array | undefined
  /** Ends a request without a body by an empty frame of data of its own, as some libraries do. */
  endsLate?: boolean
}

/** Sends a request over HTTP/2 without TLS, on a connection of its own. */
export function askByHttp2(
  origin: string,
  method: string,
  path: string,
  { headers = {}, body, endsLate = false }: Sent = {},
): Promise<Http2Response> {
  return new Promise((resolve, reject) => {
    const session = connect(origin)
    session.on('error', reject)
    const isBare = body === undefined && !endsLate
    const stream = session.request({ ...headers, ':method': method, ':path': path }, { endStream: isBare })
    let response = { status: 0, headers: {} }
    const chunks: Buffer[] = []
    stream.on('response', ({ ':status': status = 0, ...others }) => {
      const named = Object.entries(others).map(([name, value]) => [name, String(value)])
      response = { status, headers: Object.fromEntries(named) }
    })
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => {
      session.close()
      resolve({ ...response, text: Buffer.concat(chunks).toString() })
    })
    stream.on('error', reject)
    if (!isBare) stream.end(body)
  })
}
