import { request } from 'node:http'

/** An upload of which the server has got the head and a part of the body. */
export interface BegunUpload {
  /** Sends the rest. */
  finish: () => void
  /** The status of the response, or what became of the connection. */
  response: Promise<number | string | undefined>
}

/** Begins an upload on a connection of its own; resolves when the server has begun to read it. */
export function beginUpload(origin: string, items: unknown[]): Promise<BegunUpload> {
  const body = JSON.stringify(items)
  const sent = request(`${origin}/api/v1/gamma/device/devlog`, {
    method: 'POST',
    agent: false,
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      expect: '100-continue',
    },
  })
  const response = new Promise<number | string | undefined>((resolve) => {
    sent.on('response', (received) => resolve(received.resume().statusCode))
    sent.on('error', (error) => resolve(error.message))
  })
  return new Promise((resolve, reject) => {
    sent.on('error', reject)
    sent.on('continue', () => {
      sent.write(body.slice(0, 20))
      resolve({ finish: () => void sent.end(body.slice(20)), response })
    })
    sent.flushHeaders()
  })
}
