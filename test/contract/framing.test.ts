import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { operations } from '@companion/server/http/operations.ts'
import type { ServedOperation } from '@companion/server/http/operations.ts'
import { appRouter } from '@companion/server/router.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { addChild, devlogItem, signUp } from '../support/family.ts'
import { raw } from '../support/raw-http.ts'
import { isInLab, useServer } from '../support/server.ts'

/*
 * What proxies and libraries may change of a request without changing what it means: how a body is framed, what type a body
 * without a byte has, how a coding or a charset is spelt. It changes no response.
 */

const ORIGIN = 'https://app.example.com'
const server = useServer({ CORS_ORIGINS: ORIGIN })
const UPLOAD = '/api/v1/gamma/device/devlog'
const json = { 'content-type': 'application/json' }
const chunked = { 'transfer-encoding': 'chunked' }

let device: string
beforeAll(async () => {
  device = (await addChild(server, (await signUp(server)).token)).unique_id
})

/** Sends bytes as they are, all of them before it reads anything; resolves to all that is answered. */
function exchange(bytes: string, { ends = false } = {}): Promise<string> {
  const { hostname, port } = new URL(server.url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }, () => {
    if (ends) socket.end(bytes)
    else socket.write(bytes)
  })
  return text(socket).finally(() => socket.destroy())
}

/** Whether no field of an operation comes in a body. */
const takesNoBody = ({ operation: { method, path, body }, input }: ServedOperation) =>
  method !== 'GET' &&
  (method === 'DELETE'
    ? body === undefined
    : Object.keys(input.shape).every((name) => path.includes(`{${name}}`)))

describe('a call without fields in a body looks at none', () => {
  const bodiless = operations(appRouter).filter(takesNoBody)

  test('there are such calls', () => {
    expect(bodiless.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['auth.signOut', 'devlogs.delete']),
    )
  })

  test.each(bodiless.map((each) => [each.path, each] as const))('%s', async (_path, { operation }) => {
    const path = operation.path.replaceAll(/\{\w+\}/g, '1')
    const ask = async (headers: Record<string, string>, body: (string | Uint8Array)[] = []) => {
      const { token } = await signUp(server)
      const sent = { headers: { authorization: `Bearer ${token}`, ...headers }, body }
      const response = await raw(server.url, operation.method, path, sent)
      // Each challenge is another one.
      return {
        status: response.status,
        text: response.text.replaceAll(/127\.0\.0\.1:\d+|"challenge(?:_id)?":"[^"]+"/g, ''),
      }
    }
    const plain = await ask({})
    for (const [headers, body] of [
      [chunked, []],
      [{ ...chunked, 'content-type': 'text/plain' }, []],
      [{ ...json, 'content-length': '4' }, ['null']],
      [{ ...json, ...chunked }, ['{"real_user_id": "x"', '}']],
      [{ ...json, ...chunked }, ['[']],
      [{ 'content-type': 'application/octet-stream', ...chunked }, [Buffer.alloc(5000, 0xff)]],
      [{ ...json, 'content-encoding': 'br', ...chunked }, ['no br']],
    ] as const)
      expect([headers, await ask(headers, [...body])]).toEqual([headers, plain])
    // A token that is not good enough is refused before.
    const refused = plain.status === 403 ? 403 : 413
    expect((await ask(chunked, [Buffer.alloc(100_001)])).status).toBe(refused)
  })

  test('over tRPC too', async () => {
    for (const body of ['null', '{', '']) {
      const { token } = await signUp(server)
      const response = await server.post('/trpc/auth.signOut', { token, body, headers: json })
      expect([body, response.status]).toEqual([body, 200])
      expect((await server.get('/api/v1/beta/user/me', { token })).status).toBe(401)
    }
  })
})

describe('an error that needs no body reaches a caller that sends all of it first', () => {
  test.each([
    ['404', `POST /api/v1/gamma/device/devlogs`, json],
    ['415', `POST ${UPLOAD}`, { 'content-type': 'text/csv' }],
    ['405', `PATCH ${UPLOAD}`, json],
    ['401', 'POST /api/v1/beta/event', json],
    ['401', 'POST /trpc/calendar.saveEvent', json],
    ['413', 'POST /api/v1/alpha/auth/send-sms-auth', json],
    ['404', 'POST /nowhere', json],
    ['405', 'POST /healthz', json],
  ])('%s to %s', async (status, line, headers) => {
    const named = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = `${line} HTTP/1.1\r\nHost: x\r\n${named.join('')}`
    for (const size of [64_000, 6_000_000]) {
      const body = 'x'.repeat(size)
      const isSmall = status === '413' && size < 100_000
      const whole = `${head}Content-Length: ${size}\r\nConnection: close\r\n\r\n${body}`
      expect(await exchange(whole)).toContain(`HTTP/1.1 ${isSmall ? '400' : status} `)
      const pieces = `${head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${size.toString(16)}\r\n${body}\r\n0\r\n\r\n`
      expect(await exchange(pieces)).toContain(`HTTP/1.1 ${isSmall ? '400' : status} `)
    }
  })

  test('and the connection takes the next request', async () => {
    const body = 'x'.repeat(70_000)
    const first = `POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const responses = await exchange(`${first}GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    expect(responses.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 200'])
  })
})

describe('an upload', () => {
  const night = JSON.stringify([devlogItem('00000000-0000-4000-8000-000000000000', '2026-03-01T21:30:00')])
  const body = () => night.replace('00000000-0000-4000-8000-000000000000', device)
  const told = ({ status, headers }: { status: number; headers: Headers }) =>
    `${status} ${headers.get('x-error')}`

  test.each(['gzip', 'x-gzip', 'GZIP', ' x-gzip '])(
    'is unpacked, whose coding is called %j',
    async (coding) => {
      const headers = { ...json, 'content-encoding': coding }
      expect((await server.post(UPLOAD, { body: gzipSync(body()), headers })).status).toBe(200)
    },
  )

  test.each(['br', 'deflate', 'zstd', 'compress', 'gzip, gzip', 'identity, gzip'])(
    'is refused, whose coding is %s',
    async (coding) => {
      const headers = { ...json, 'content-encoding': coding }
      expect(told(await server.post(UPLOAD, { body: body(), headers }))).toBe('415 invalid')
    },
  )

  test.each<[string, (packed: Buffer) => Buffer]>([
    ['cut', (packed) => packed.subarray(0, -12)],
    ['cut in its first bytes', (packed) => packed.subarray(0, 5)],
    ['changed in its checksum', (packed) => changed(packed, packed.length - 6)],
    ['changed in its length', (packed) => changed(packed, packed.length - 2)],
    ['changed in the middle', (packed) => changed(packed, 40)],
  ])('that was %s on its way is to be sent again', async (_how, damage) => {
    const headers = { ...json, 'content-encoding': 'gzip' }
    expect(told(await server.post(UPLOAD, { body: damage(gzipSync(body())), headers }))).toBe('400 busy')
  })

  test('that is not packed at all is not', async () => {
    const headers = { ...json, 'content-encoding': 'gzip' }
    expect(told(await server.post(UPLOAD, { body: body(), headers }))).toBe('400 invalid')
  })

  const upload = (headers: string) =>
    `POST ${UPLOAD} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n`
  // HAProxy answers these itself.
  test.skipIf(isInLab).each<[string, string, string, boolean?]>([
    ['400 busy', 'fewer bytes than announced', `${upload('Content-Length: 500\r\n')}[`, true],
    ['400 busy', 'a piece of a broken length', `${upload('Transfer-Encoding: chunked\r\n')}1\r\n[\r\nzz\r\n`],
    ['400 invalid', 'two lengths', upload('Content-Length: 4\r\nContent-Length: 5\r\n')],
    ['400 invalid', 'two hosts', upload('Host: y\r\nContent-Length: 2\r\n')],
    ['400 invalid', 'two equal hosts', upload('Host: x\r\nContent-Length: 2\r\n')],
    ['400 invalid', 'no host', `POST ${UPLOAD} HTTP/1.1\r\n\r\n`],
    ['417 invalid', 'an expectation that nobody meets', upload('Expect: miracles\r\nContent-Length: 2\r\n')],
    ['431 invalid', 'headers of more than 8 KiB', upload(`X: ${'x'.repeat(9000)}\r\n`)],
    ['404 not-found', 'a path with two slashes', upload('').replace('/api', '//api')],
    ['404 not-found', 'a path in capitals', upload('').replace('/api', '/API').replace('gamma', 'Gamma')],
    ['404 not-found', 'a path that is encoded', upload('').replace('gamma', 'g%61mma')],
    ['404 not-found', 'a path without its beginning', upload('').replace('/api/v1', '')],
    ['404 not-found', 'a path that ends in a slash', upload('').replace('devlog', 'devlog/')],
    [
      '404 unknown-device',
      'a host in its path',
      `GET http://x/api/v1/gamma/device/detail?unique_id=00000000-0000-4000-8000-000000000000&event_date=2026-03-01 HTTP/1.1\r\nHost: x\r\n\r\n`,
    ],
  ])('is refused with %s for %s', async (expected, _what, bytes, ends = false) => {
    const sent =
      ends || !bytes.includes('Connection') ? bytes.replace('Host: x', 'Connection: close\r\nHost: x') : bytes
    const response = await exchange(sent, { ends })
    const [, status] = /^HTTP\/1.1 (\d+)/.exec(response) ?? []
    const [, word] = /\r\nx-error: (\S+)\r\n/i.exec(response) ?? []
    expect(`${status} ${word}`).toBe(expected.replace('404 unknown-device', '400 unknown-device'))
    expect(response).toMatch(/\r\n\r\n\{"detail":"[^"]+"\}$/)
  })
})

const changed = (packed: Buffer, at: number) => {
  const copy = Buffer.from(packed)
  copy[at] = (copy[at] ?? 0) ^ 0xff
  return copy
}

describe('a page of another origin reads', () => {
  const head = (headers: string) => `GET /healthz HTTP/1.1\r\n${headers}Origin: ${ORIGIN}\r\n`
  test.skipIf(isInLab).each([
    ['417', `${head('Host: x\r\nExpect: miracles\r\n')}\r\n`],
    ['400', `${head('Host: x\r\nHost: y\r\n')}\r\n`],
    ['431', `${head('Host: x\r\n')}X: ${'x'.repeat(9000)}\r\n\r\n`],
  ])('%s', async (status, bytes) => {
    const response = await exchange(bytes)
    expect(response).toContain(`HTTP/1.1 ${status} `)
    expect(response).toContain(`Access-Control-Allow-Origin: ${ORIGIN}\r\n`)
  })

  test('answers to PUT, as to any method', async () => {
    const headers = { origin: ORIGIN, 'access-control-request-method': 'PUT' }
    const { headers: answered } = await raw(server.url, 'OPTIONS', '/api/v1/beta/user/me', { headers })
    expect(answered['access-control-allow-methods']).toContain('PUT')
  })
})
