import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { IncomingMessage, Server } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DOCUMENT } from '../support/document.ts'
import { formOf, isJson } from '../support/exchanges.ts'
import type { Exchange } from '../support/exchanges.ts'
import { observedDirectory } from '../support/observed.ts'
import { startPrism, violationsIn } from '../support/prism.ts'
import type { Violation } from '../support/prism.ts'

/*
 * Every exchange that the contract tests had with the server is sent once more through Prism, a validating proxy that
 * knows nothing but the OpenAPI document. Behind it stands a player that gives each request the response it got.
 */

const AT_ONCE = 8
/** Prism waits for ever on some requests. */
const TIMEOUT_MS = 60_000

const recorded = globSync(`${observedDirectory}*.exchanges`).flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line): Exchange => JSON.parse(line)),
)

/** One of each form: files that run in processes of their own record the same ones. */
const exchanges = [...new Map(recorded.map((each) => [formOf(each), each])).values()]

let player: Server
let prism: Awaited<ReturnType<typeof startPrism>>

beforeAll(async () => {
  player = createServer((incoming, outgoing) => {
    const { status, headers, body } = exchanges[Number(incoming.headers['x-exchange'])]?.response ?? {
      status: 599,
    }
    const {
      'content-length': _length,
      'transfer-encoding': _coding,
      connection: _connection,
      ...kept
    } = headers ?? {}
    incoming.resume().on('end', () => outgoing.writeHead(status, kept).end(body))
  })
  prism = await startPrism(`http://127.0.0.1:${await listen(player)}`)
})

afterAll(async () => {
  await prism.stop()
  player.closeAllConnections()
  player.close()
})

test.skipIf(exchanges.length === 0)(
  'the document says what the server does, exchange by exchange',
  async () => {
    const violations: string[] = []
    let next = 0
    const worker = async () => {
      for (let index = next++; index < exchanges.length; index = next++) {
        const exchange = exchanges[index]
        if (!exchange) return
        const found = await replay(exchange, index)
        // A request that was refused may well be one that the document forbids; one that was accepted may not.
        for (const { location, message } of found) {
          if (location[0] === 'request' && !isJudged(exchange)) continue
          violations.push(
            `${exchange.method} ${exchange.url} ${exchange.response.status}: ${location.join('.')} ${message}`,
          )
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    expect([...new Set(violations)]).toEqual([])
  },
)

/** What a response of any operation may carry besides: HTTP's own headers, and those that the introduction tells of. */
const ANYWHERE = [
  /^(content-type|content-length|content-encoding|transfer-encoding|vary|date|connection|keep-alive)$/,
  /^(cache-control|content-security-policy|strict-transport-security|cross-origin-resource-policy)$/,
  /^(referrer-policy|x-content-type-options|x-frame-options|access-control-.*)$/,
]

/** The same of an operation that other services may call. */
const OF_SERVICES = [...ANYWHERE, /^ratelimit(-policy)?$/]

test.skipIf(exchanges.length === 0)('each header that is served is declared, and the other way round', () => {
  const { paths, components } = JSON.parse(readFileSync(DOCUMENT, 'utf8'))
  const resolved = (part: any) => (part?.$ref ? get(components, part.$ref.split('/').slice(2)) : part)
  const routes = Object.entries<any>(paths).map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    methods,
  }))
  const issues = new Set<string>()
  for (const { method, url, response } of exchanges) {
    const { pathname } = new URL(url, 'http://localhost')
    const found = routes.filter(({ pattern }) => pattern.test(pathname))
    const operation = found.map(({ methods }) => methods[method.toLowerCase()]).find(Boolean)
    if (!operation || isUnknownRoute(response)) continue
    const { headers = {} } = resolved(operation.responses[response.status]) ?? {}
    const declared = new Map(
      Object.entries(headers).map(([name, part]) => [name.toLowerCase(), resolved(part).required === true]),
    )
    const isForServices = operation.security.some(
      (scheme: object) => 'oauth2' in scheme || 'serviceToken' in scheme,
    )
    const besides = isForServices ? OF_SERVICES : ANYWHERE
    const said = (issue: string) => issues.add(`${operation.operationId} ${response.status}: ${issue}`)
    for (const name of Object.keys(response.headers))
      if (!declared.has(name) && !besides.some((each) => each.test(name))) said(`${name} is not declared`)
    for (const [name, isRequired] of declared)
      if (isRequired && response.headers[name] === undefined) said(`${name} is not served`)
  }
  expect([...issues]).toEqual([])
})

const get = (part: any, [key, ...rest]: string[]): any => (key === undefined ? part : get(part?.[key], rest))

/**
 * Whether the request, too, is held to the document: it was accepted, did not ask for leniency, and Prism can read it,
 * which waits for ever on a body that is not plain JSON.
 */
const isJudged = ({ response, body, headers }: Exchange) =>
  response.status < 400 &&
  !headers['prefer'] &&
  (!headers['content-type']?.includes('json') || /^[[{]/.test(body ?? ''))

/** Methods and paths that the document does not know are not Prism's to judge. */
const isUnknownRoute = ({ status, body }: Exchange['response']) =>
  status === 405 || (status === 404 && body.includes('Resource not found'))

async function replay(exchange: Exchange, index: number): Promise<Violation[]> {
  const { method, url, headers, body, response } = exchange
  if (isUnknownRoute(response) || !isJson(exchange) || method === 'OPTIONS') return []
  const outgoing = request({
    port: prism.port,
    host: '127.0.0.1',
    method,
    path: url,
    headers: { ...(isJudged(exchange) ? headers : {}), 'x-exchange': index },
  })
  outgoing.setTimeout(TIMEOUT_MS, () => outgoing.destroy(new Error(`no answer to ${method} ${url} ${body}`)))
  // An empty object says nothing; operations that take no body need not forbid it.
  outgoing.end(isJudged(exchange) && body !== null && body !== '{}' ? body : undefined)
  const [incoming]: [IncomingMessage] = (await once(outgoing, 'response')) as [IncomingMessage]
  incoming.resume()
  await once(incoming, 'end')
  return violationsIn(String(incoming.headers['sl-violations'] ?? ''))
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}
