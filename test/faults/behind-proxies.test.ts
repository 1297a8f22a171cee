import { operations } from '@companion/server/http/operations.ts'
import { appRouter } from '@companion/server/router.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anyInput, call } from '../support/any-input.ts'
import { createClient } from '../support/client.ts'
import type { Client } from '../support/client.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { goodCalls } from '../support/good-calls.ts'
import { hasNoHaproxy, startHaproxy } from '../support/machines/haproxy.ts'
import { askByHttp2 } from '../support/http2.ts'
import { hasNoNginx, startNginx } from '../support/machines/nginx.ts'
import { useOpenIdProvider } from '../support/outside/openid.ts'
import { raw } from '../support/raw-http.ts'
import { isInLab, useServer } from '../support/server.ts'

/*
 * Debian's nginx and HAProxy stand before the service as operators run them: they compress answers, pass requests on as they
 * come, take HTTP/2 and speak HTTP/1.1 with the service. Through them each operation answers as without them.
 */

const provider = useOpenIdProvider()
const server = useServer(() => ({ SOCIAL_PROVIDERS: provider.configuration }))
const isMissing = (hasNoNginx || hasNoHaproxy) && !process.env['CI']

let nginx: Awaited<ReturnType<typeof startNginx>>
let haproxy: Awaited<ReturnType<typeof startHaproxy>>
beforeAll(async () => {
  if (isMissing || isInLab) return
  nginx = await startNginx(server.url)
  haproxy = await startHaproxy([server.url], { checks: false, compresses: true })
})
afterAll(async () => {
  await Promise.all([nginx?.stop(), haproxy?.stop()])
})

/** A client over HTTP/2 that sends what `fetch` would. */
function http2Client(origin: string): Client {
  const method =
    (name: string): Client['get'] =>
    async (path, { json, form, body, query, token, headers = {} } = {}) => {
      const search = query
        ? `?${new URLSearchParams(Object.entries(query).map(([key, value]): [string, string] => [key, String(value)])).toString()}`
        : ''
      const content =
        json !== undefined ? JSON.stringify(json) : form ? String(new URLSearchParams(form)) : body
      const type =
        json !== undefined ? 'application/json' : form ? 'application/x-www-form-urlencoded' : undefined
      const response = await askByHttp2(origin, name, `${path}${search}`, {
        headers: {
          ...(type ? { 'content-type': type } : {}),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...headers,
        },
        body: content,
        // As libraries do that learn only later that there is no body.
        endsLate: name !== 'GET',
      })
      return { status: response.status, headers: new Headers(response.headers), body: parsed(response.text) }
    }
  const [get, post, patch, put] = ['GET', 'POST', 'PATCH', 'PUT'].map(method)
  return { get, post, patch, put, delete: method('DELETE') } as Client
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    return content
  }
}

const ways = (): Record<string, Client> => ({
  'nginx, HTTP/1.1': createClient(nginx.url, { isProxied: true }),
  'nginx, HTTP/2': http2Client(nginx.http2Url),
  'HAProxy, HTTP/1.1': createClient(haproxy.url, { isProxied: true }),
  'HAProxy, HTTP/2': http2Client(haproxy.http2Url),
})

/** What a response says, without what differs from call to call. */
const plain = (body: unknown) =>
  typeof body === 'string' ? body.length > 0 : JSON.stringify(body)?.replaceAll(/http:\/\/[\w.:]+\//g, '')

test.skipIf(isMissing || isInLab)('every operation answers through them as without them', async () => {
  const parent = await signUp(server)
  const { unique_id, real_user_id } = await addChild(server, parent.token)
  await upload(server, [devlogItem(unique_id, '2026-03-01T21:30:00')])
  const differences: string[] = []
  for (const served of operations(appRouter)) {
    // These would end what the others need. The tour below makes them.
    if (
      /^(account\.(delete|exportData|changePassword)|children\.delete|auth\.(signOut|refresh))$/.test(
        served.path,
      )
    )
      continue
    // The document does not tell of a field that the operation does not have.
    const known = (input: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(input).filter(([name]) => name in served.input.shape))
    const input = known({ ...anyInput(served), real_user_id, id: real_user_id, unique_id })
    // Without its ids, a change is refused and changes nothing for the next who asks.
    const idless = Object.entries(input).map(([name, value]) => [
      name,
      typeof value === 'number' ? 'x' : value,
    ])
    const inputs = [
      input,
      known({ ...Object.fromEntries(idless), unique_id: 'x', email: 5, phone: '1', items: [5] }),
    ]
    for (const input of served.operation.method === 'GET' ? inputs : inputs.slice(1)) {
      const ask = (client: Client) => call(client, served, input, parent.token)
      const expected = await ask(server)
      for (const [way, client] of Object.entries(ways())) {
        const { status, body, headers } = await ask(client)
        const facts = [status, plain(body), headers.get('content-type')]
        const wanted = [expected.status, plain(expected.body), expected.headers.get('content-type')]
        if (JSON.stringify(facts) !== JSON.stringify(wanted) && !isOfTheMoment(served.path))
          differences.push(`${served.path} through ${way}: ${facts.join(' ')} instead of ${wanted.join(' ')}`)
        if (isOfTheMoment(served.path) && status !== expected.status)
          differences.push(`${served.path}: ${status}`)
      }
    }
  }
  expect(differences).toEqual([])
})

/** The keys and types of a body. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each)]))
}

test.skipIf(isMissing || isInLab)(
  'a good call of every operation succeeds through them as without them',
  async () => {
    const { url, config, database, databaseUrl, log, outbox, trailWritten } = server
    const own = { url, config, database, databaseUrl, log, outbox, trailWritten }
    const tour = async (client: Client) => {
      const found = new Map<string, unknown>()
      for (const [path, call] of await goodCalls({ ...own, ...client }, provider)) {
        const { status, headers, body } = await call()
        found.set(path, [status, headers.get('content-type'), shapeOf(body)])
      }
      return found
    }
    const expected = await tour(createClient(url))
    expect(expected.size).toBe(operations(appRouter).length)
    for (const [way, client] of Object.entries(ways()))
      expect({ way, responses: await tour(client) }).toEqual({ way, responses: expected })
  },
)

test.skipIf(isMissing || isInLab)('they change these headers of an answer alone', async () => {
  const { token } = await signUp(server)
  const { real_user_id } = await addChild(server, token)
  const query = { real_user_id, event_date: '2026-03-01' }
  const json = { real_user_id, created_at: '2026-03-01', memo: 'long enough to be packed' }
  await server.post('/api/v1/beta/event', { token, json })
  const headers = { 'accept-encoding': 'gzip' }
  const ask = async (client: Client) =>
    Object.fromEntries((await client.get('/api/v1/beta/event', { token, headers, query })).headers)
  const direct = await ask(server)
  for (const client of Object.values(ways())) {
    const answered = await ask(client)
    const names = new Set([...Object.keys(direct), ...Object.keys(answered)])
    const differing = [...names].filter((name) => answered[name] !== direct[name])
    expect(differing).toEqual(expect.arrayContaining(['content-encoding', 'content-length', 'etag']))
    // What concerns a connection, how a body is framed and packed, and who is between.
    const known =
      /^(date|x-request-id|connection|keep-alive|transfer-encoding|content-(length|encoding)|etag|vary|server)$/
    expect(differing.filter((name) => !known.test(name))).toEqual([])
  }
})

/**
 * Responses that no two calls share: times, tokens, challenges, files, and how far changes and accesses can be told, which
 * transactions of other databases decide too.
 */
const isOfTheMoment = (path: string) =>
  /devices\.time|reports\.|devlogs\.export|changes\.list|shares\.access|auth\.passkeySignInOptions/.test(path)

describe.skipIf(isMissing || isInLab).each([0, 1, 2, 3])('through way %i', (n) => {
  const way = () => Object.values(ways())[n] ?? server

  test('a note is saved over the version that was read, whose tag the proxy has changed', async () => {
    const { token } = await signUp(server)
    const { real_user_id } = await addChild(server, token)
    const note = { real_user_id, created_at: '2026-03-01', memo: 'first, and long enough to be compressed' }
    const headers = { 'accept-encoding': 'gzip' }
    expect((await way().post('/api/v1/beta/event', { token, headers, json: note })).status).toBe(200)
    const query = { real_user_id, event_date: '2026-03-01' }
    const response = await way().get('/api/v1/beta/event', { token, headers, query })
    const tag = response.headers.get('etag') ?? ''
    expect(tag).toMatch(/\d+-1/)
    const save = (ifMatch: string) =>
      way().post('/api/v1/beta/event', {
        token,
        json: { ...note, memo: 'second' },
        headers: { 'if-match': ifMatch },
      })
    expect(await save(tag)).toMatchObject({ status: 200 })
    expect(await save(tag)).toMatchObject({ status: 412 })
  })

  test('a session ends by a call without a body', async () => {
    const { token } = await signUp(server)
    expect(await way().post('/api/v1/alpha/auth/signout', { token })).toMatchObject({ status: 200 })
    expect((await server.get('/api/v1/beta/user/me', { token })).status).toBe(401)
  })

  test('records are stored once, and deleted', async () => {
    const { token } = await signUp(server)
    const { unique_id } = await addChild(server, token)
    const night = [devlogItem(unique_id, '2026-03-01T21:30:00')]
    for (let again = 0; again < 2; again += 1)
      expect(await way().post('/api/v1/gamma/device/devlog', { json: night })).toMatchObject({ status: 200 })
    const gone = await way().delete('/api/v1/gamma/device/devlog', { query: { unique_id } })
    expect(gone).toMatchObject({ status: 200, body: { message: expect.stringContaining('1') } })
  })
})

describe.skipIf(isMissing || isInLab).each(['nginx', 'HAProxy'])(
  'an error reaches a caller behind %s',
  (name) => {
    const origin = () => (name === 'nginx' ? nginx.url : haproxy.url)

    test.each([
      ['404', 'POST /api/v1/gamma/device/devlogs', 'application/json'],
      ['415', 'POST /api/v1/gamma/device/devlog', 'text/csv'],
      ['405', 'PATCH /api/v1/gamma/device/devlog', 'application/json'],
      ['401', 'POST /api/v1/beta/event', 'application/json'],
    ])('%s to %s of up to 6 MB', async (status, line, type) => {
      const [method = '', path = ''] = line.split(' ')
      for (const size of [64_000, 1_000_000, 6_000_000])
        for (let round = 0; round < 3; round += 1) {
          const headers = { 'content-type': type, 'content-length': String(size) }
          const response = await raw(origin(), method, path, { headers, body: [Buffer.alloc(size, 'x')] })
          expect([size, String(response.status)]).toEqual([size, status])
          expect(JSON.parse(response.text)).toEqual({ detail: expect.any(String) })
        }
    })
  },
)
