import type { ServerResponse } from 'node:http'

/** Answers `value` as JSON; a HEAD gets the headers of it alone. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  // As a text, so that Node sends head and body in one piece; where every character is one byte it need not be encoded.
  const body = JSON.stringify(value)
  const length = Buffer.byteLength(body)
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': length })
    .end(body, length === body.length ? 'latin1' : 'utf8')
}
