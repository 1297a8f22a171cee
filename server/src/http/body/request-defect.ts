import type { IncomingMessage } from 'node:http'
import { Failure } from '../../errors/failure.ts'
import { httpErrors } from '../../errors/generic.ts'

/**
 * Returns why a request that Node has parsed is answered by nobody: HTTP/1.1 names its host once (RFC 9112, 3.2), since of two
 * a proxy may have judged the other; and an expectation has to be known (RFC 9110, 10.1.1).
 */
export function findRequestDefect(request: IncomingMessage): Failure | undefined {
  const { headers, httpVersion, rawHeaders } = request
  const isNameless = headers.host === undefined && httpVersion === '1.1'
  if (isNameless || hasSeveralHosts(rawHeaders)) return closing(httpErrors.malformed)
  // Node has told who expects `100-continue` to go on.
  const isUnexpected = headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue'
  return isUnexpected ? closing(httpErrors.unexpected) : undefined
}

function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    // The length first: this is looked at in every request.
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts > 1
}

/** Nobody knows what follows such a request. */
const closing = ([status, detail]: readonly [status: number, detail: string]) =>
  new Failure(status, detail, { headers: { connection: 'close' } })
