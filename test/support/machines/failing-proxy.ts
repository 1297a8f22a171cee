import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from '../outside/local-server.ts'
import type { LocalServer, Received } from '../outside/local-server.ts'

/**
 * What happens to a call. The service never sees a call that is `busy` (answered 429 as by the service), gets the
 * page of a proxy (`bad gateway`, `too large`) or no response (`silent`, `hung up`). Nor does it see a call whose token is
 * `expired` from then on. It does execute a call whose response is `lost`, `cut` in the middle, comes `late`, or has a
 * Content-Length that `promises more` or `promises less`.
 */
export type Issue =
  | 'busy'
  | 'bad gateway'
  | 'too large'
  | 'silent'
  | 'hung up'
  | 'expired'
  | 'lost'
  | 'cut'
  | 'late'
  | 'promises more'
  | 'promises less'

const LATE_MS = 200

export interface FailingProxy extends LocalServer {
  /** The calls that have not met all their issues yet. */
  unmet: () => string[]
  /** Milliseconds between the first `busy` or `silent` call and the next call. */
  waited: () => number
}

/**
 * Stands before the server of `url` for one test; as a function, it may start later. Each call (`GET /path`) meets its `issues`
 * in order, each once, or what the function says.
 */
export async function startFailingProxy(
  url: string | (() => string),
  issues: Record<string, Issue[]> | ((call: string) => Issue | undefined),
): Promise<FailingProxy> {
  const expired = new Set<string>()
  let since = 0
  let waited = 0
  const front = await listen((response, request) => {
    if (since && !waited) waited = performance.now() - since
    const call = `${request.method} ${request.path.split('?')[0]}`
    const issue = typeof issues === 'function' ? issues(call) : issues[call]?.shift()
    const { authorization = '' } = request.headers
    if (issue === 'expired') expired.add(authorization)
    if (issue === 'busy' || issue === 'silent') since ||= performance.now()
    if (expired.has(authorization)) {
      refuse(response, request, 401, 'Token is expired')
    } else if (issue === 'busy') {
      refuse(response.setHeader('retry-after', '2'), request, 429, 'Too many requests')
    } else if (issue === 'bad gateway') {
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502 Bad Gateway</h1>')
    } else if (issue === 'too large') {
      response.writeHead(413, { 'content-type': 'text/html' }).end('<h1>413 Request Entity Too Large</h1>')
    } else if (issue === 'hung up') {
      response.destroy()
    } else if (issue !== 'silent') {
      // As a proxy that has lost the service: without this, the caller would wait for its time limit.
      passOn(typeof url === 'string' ? url : url(), request, response, issue).catch(() => response.destroy())
    }
  })
  return {
    ...front,
    unmet: () => Object.entries(issues).flatMap(([call, left]) => (left.length > 0 ? [call] : [])),
    waited: () => waited,
  }
}

/** Answers as the service does, over REST or tRPC. */
function refuse(response: ServerResponse, { path }: Received, status: number, detail: string): void {
  const error = { code: -32_600, message: detail, data: { status, httpStatus: status, detail } }
  const body = path.startsWith('/trpc/') ? { error } : { detail }
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const KEPT = ['authorization', 'content-encoding', 'content-type', 'idempotency-key', 'x-firmware']

async function passOn(
  url: string,
  { method, path, headers, bytes: body }: Received,
  response: ServerResponse,
  issue: Issue | undefined,
): Promise<void> {
  const kept = KEPT.flatMap((name): [string, string][] =>
    headers[name] ? [[name, String(headers[name])]] : [],
  )
  const reply = await fetch(`${url}${path}`, {
    method,
    headers: kept,
    ...(method === 'GET' ? {} : { body: Uint8Array.from(body) }),
  })
  const bytes = Buffer.from(await reply.arrayBuffer())
  if (issue === 'lost') {
    response.destroy()
    return
  }
  if (issue === 'late') await sleep(LATE_MS)
  const lie = issue === 'promises more' ? 10 : issue === 'promises less' ? -10 : 0
  const word = reply.headers.get('x-error')
  response.writeHead(reply.status, {
    ...(word === null ? {} : { 'x-error': word }),
    'content-type': reply.headers.get('content-type') ?? '',
    'content-disposition': reply.headers.get('content-disposition') ?? '',
    'content-length': bytes.length + lie,
  })
  if (issue === 'cut') response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
  else if (issue === 'promises more') response.write(bytes, () => response.destroy())
  else response.end(bytes)
}
