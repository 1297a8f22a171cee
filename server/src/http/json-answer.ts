import type { ServerResponse } from 'node:http'

/** Answers `value` as JSON. For a HEAD request, Node sends only the headers. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  // Sent as a string, so that Node writes head and body together. `latin1` skips the encoding of pure ASCII.
  const body = JSON.stringify(value)
  const length = Buffer.byteLength(body)
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': length })
    .end(body, length === body.length ? 'latin1' : 'utf8')
}
