import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '@companion/server/http/operations.ts'
import type { ServedOperation } from '@companion/server/http/operations.ts'
import { appRouter } from '@companion/server/router.ts'
import { anyInput } from '../support/any-input.ts'
import { cloneDatabase } from '../support/database.ts'
import { signUp } from '../support/family.ts'
import { startServiceProcess } from '../support/service-process.ts'
import type { ServiceProcess } from '../support/service-process.ts'
import { TEST_SECRET } from '../support/server.ts'

/*
 * A process may be stopped by nothing that a caller sends. Every operation, page and door gets the worst bodies, headers,
 * cookies and queries that we know, and none may take more of the event loop than 50 ms of processor time for each 100 kB
 * sent. The kernel counts the time of the thread alone, which a busy machine does not stretch.
 */

const MOST_MS = 50
const UNIT = 100_000
/** Nearly as many as most operations take in a body, and as any takes in its headers: of more, nothing is read. */
const BODY_BYTES = 99_000
const HEADER_BYTES = 7000
/** Caches and the collector of garbage take their time from anybody: the least of these tries counts. */
const TRIES = 6

let service: ServiceProcess
let token: string
let directory: string
let database: Awaited<ReturnType<typeof cloneDatabase>>

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'companion-processor-'))
  database = await cloneDatabase()
  service = await startServiceProcess(directory, { DATABASE_URL: database.url, TOKEN_SECRET: TEST_SECRET })
  token = (await signUp(service)).token
})
afterAll(async () => {
  service?.terminate()
  await service?.exited
  await database?.drop()
  await rm(directory, { recursive: true, force: true })
})

interface Sent {
  method: string
  path: string
  headers?: Record<string, string>
  body?: Buffer | string
  /** Of how many bytes each piece is. */
  piece?: number
}

/** Nanoseconds of the event loop of the service on a processor. */
const loopTime = () =>
  Number(readFileSync(`/proc/${service.pid}/task/${service.pid}/schedstat`, 'utf8').split(' ')[0])

/** Sends a request and waits for the end of its response, or of its connection. */
function send({ method, path, headers = {}, body = '', piece }: Sent): Promise<number> {
  const { hostname, port } = new URL(service.url)
  return new Promise((resolve) => {
    const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      response.on('end', () => resolve(response.statusCode ?? 0)).resume()
      response.on('error', () => resolve(0))
    })
    sent.on('error', () => resolve(0))
    if (piece === undefined) sent.end(body)
    else {
      sent.setNoDelay(true)
      const bytes = Buffer.from(body)
      const next = (at: number) => {
        if (at >= bytes.length) sent.end()
        else sent.write(bytes.subarray(at, at + piece), () => setImmediate(next, at + piece))
      }
      next(0)
    }
  })
}

const sizeOf = ({ path, headers = {}, body = '' }: Sent) =>
  Buffer.byteLength(body) + Buffer.byteLength(path) + Buffer.byteLength(JSON.stringify(headers))

/** What a request takes of the event loop beyond its bound, as a text; undefined if it keeps to it. */
async function excess(name: string, sent: Sent): Promise<string | undefined> {
  const bound = MOST_MS * Math.max(1, sizeOf(sent) / UNIT)
  let least = Number.POSITIVE_INFINITY
  let status = 0
  for (let n = 0; n < TRIES && least > bound; n += 1) {
    const before = loopTime()
    status = await send(sent)
    least = Math.min(least, (loopTime() - before) / 1e6)
  }
  return least > bound || status >= 500
    ? `${name}: ${Math.round(least)} ms for ${sizeOf(sent)} bytes (${status})`
    : undefined
}

const filled = (unit: string, bytes: number) => unit.repeat(Math.ceil(bytes / unit.length)).slice(0, bytes)
const listed = (unit: string, bytes: number) =>
  `[${filled(`${unit},`, bytes - unit.length - 3)}`.replace(/,?[^,]*$/, `,${unit}]`)
const keys = (count: number, value: string) =>
  `{${Array.from({ length: count }, (_, n) => `"k${n}":${value}`).join(',')}}`

/** Texts on which expressions, tables and normalisation do their worst. */
const texts = {
  letters: 'a',
  dots: 'a.',
  at: 'a@',
  dashes: '1-',
  digits: '1',
  spaces: ' ',
  marks: 'a\u0301',
  families: '👨‍👩‍👧',
  arabic: 'ﷺ',
  zero: '\u200B',
  quotes: String.raw`\"`.slice(1),
  controls: '\u0001',
}

/** JSON for any reader, by its kind. */
const bodies: Record<string, string> = {
  deep: '['.repeat(BODY_BYTES),
  'deep and closed': '['.repeat(BODY_BYTES / 2) + ']'.repeat(BODY_BYTES / 2),
  'deep objects': '{"a":'.repeat(BODY_BYTES / 5),
  'empty objects': listed('{}', BODY_BYTES),
  zeros: listed('0', BODY_BYTES),
  keys: keys(8000, '0'),
  number: '1'.repeat(BODY_BYTES),
  exponent: `1e${'1'.repeat(BODY_BYTES)}`,
  escapes: `"${String.raw`\u0041`.repeat(BODY_BYTES / 6)}"`,
  broken: `"${'a'.repeat(BODY_BYTES)}`,
  spaces: ' '.repeat(BODY_BYTES),
}

/** For those who take a megabyte. */
const large: Record<string, string> = {
  'a megabyte deep': '['.repeat(10 * BODY_BYTES),
  'a megabyte of objects': listed('{}', 10 * BODY_BYTES),
  'a megabyte of zeros': listed('0', 10 * BODY_BYTES),
  'a megabyte of letters': JSON.stringify([{ unique_id: 'a'.repeat(10 * BODY_BYTES - 50) }]),
}

const json = { 'content-type': 'application/json' }
const packed: Record<string, Sent['headers'] & object> = {
  gzip: { ...json, 'content-encoding': 'gzip' },
  br: { ...json, 'content-encoding': 'br' },
}
const bombs: [name: string, headers: Record<string, string>, body: Buffer][] = [
  ['gzip of nesting', packed['gzip'] ?? {}, gzipSync('['.repeat(5_000_000))],
  ['gzip of objects', packed['gzip'] ?? {}, gzipSync(listed('{}', 5_000_000))],
  ['gzip in gzip', packed['gzip'] ?? {}, gzipSync(gzipSync('['.repeat(5_000_000)))],
  ['gzip of half', packed['gzip'] ?? {}, gzipSync(listed('{}', 500_000))],
  ['brotli', packed['br'] ?? {}, brotliCompressSync('['.repeat(2_400_000))],
]

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const forms: Record<string, string> = {
  'form of keys': Array.from({ length: 15_000 }, (_, n) => `k${n}`).join('&'),
  'form of one key': filled('username=a&', BODY_BYTES),
  'form of percents': `username=${'%41'.repeat(BODY_BYTES / 3)}`,
  'form of brackets': `username${'[a]'.repeat(BODY_BYTES / 3)}=1`,
}

const boundary = 'x'
const part = (n: number) => `--x\r\ncontent-disposition: form-data; name="f${n}"; filename="a"\r\n\r\n1\r\n`
const multipart = {
  type: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  parts: `${Array.from({ length: 1400 }, (_, n) => part(n)).join('')}--x--\r\n`,
  nothing: filled('--x\r\n', BODY_BYTES),
  headers: `--x\r\n${filled('a: b\r\n', BODY_BYTES)}`,
  dashes: '-'.repeat(BODY_BYTES),
}

const headers: Record<string, Record<string, string>> = {
  cookies: { cookie: filled('a=b; ', HEADER_BYTES) },
  'cookies of steps': {
    cookie: Array.from({ length: 180 }, (_, n) => `_step.${n}=${n}.${'a'.repeat(20)}`).join('; '),
  },
  languages: { 'accept-language': filled('en;q=0.1,', HEADER_BYTES) },
  encodings: { 'accept-encoding': filled('gzip;q=0.1,', HEADER_BYTES) },
  accepted: { accept: filled('text/html;q=0.1,', HEADER_BYTES) },
  preferences: { prefer: filled('handling=strict, ', HEADER_BYTES) },
  type: { 'content-type': `application/json;${filled(' a=b;', HEADER_BYTES)}` },
  forwarded: { 'x-forwarded-for': filled('1.1.1.1, ', HEADER_BYTES) },
  'no token': { authorization: `Bearer ${'a.'.repeat(HEADER_BYTES / 2)}` },
  spaces: { authorization: `Bearer${' '.repeat(HEADER_BYTES)}x` },
  client: { 'x-client': filled('companion-sdk/1.', HEADER_BYTES) },
  trace: { traceparent: filled('00-', HEADER_BYTES) },
  tags: { 'if-match': filled('W/"1", ', HEADER_BYTES), 'if-none-match': filled('W/"1", ', HEADER_BYTES) },
  many: Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`x-${n}`, 'a'])),
}

const queries: Record<string, string> = {
  keys: Array.from({ length: 1300 }, (_, n) => `${n}`).join('&'),
  'one key': filled('real_user_id=1&', HEADER_BYTES),
  brackets: `real_user_id${'[a]'.repeat(HEADER_BYTES / 3)}=1`,
  percents: `token=${'%41'.repeat(HEADER_BYTES / 3)}`,
  broken: `token=${'%'.repeat(HEADER_BYTES)}`,
  plus: `token=${'+'.repeat(HEADER_BYTES)}`,
}

const pages = [
  '/verify',
  '/invitation',
  '/reset-password',
  '/confirm-email',
  '/docs',
  '/openapi.json',
  '/metrics',
  '/readyz',
  '/oauth/authorize',
  '/oauth/token',
  '/oauth/revoke',
  '/oauth/introspect',
  '/oauth/jwks',
  '/oauth/step/x',
  '/.well-known/oauth-authorization-server',
  '/trpc/auth.signIn',
  '/trpc/devlogs.upload',
  '/trpc/account.me,account.me,account.me',
  '/nowhere',
  `/${'a/'.repeat(3000)}`,
  `/${'%2f'.repeat(2000)}`,
]

const served = operations(appRouter)
const pathOf = ({ operation: { path } }: ServedOperation) => path.replaceAll(/\{\w+\}/g, '1')
const takesBody = (method: string) => method !== 'GET'

/** The readers of headers and cookies stand before the operations, which read these by themselves. */
const ofOperations = new Set(['preferences', 'tags', 'many', 'no token'])

/** Every request for one address. Without a token, what comes before a token is looked at. */
function* worst(method: string, path: string, isOperation = false): Generator<[string, Sent]> {
  const say = (kind: string) => `${method} ${path.slice(0, 60)}, ${kind}`
  const authorization = `Bearer ${token}`
  const to = (more: Omit<Sent, 'method' | 'path'>) => ({
    method,
    path,
    ...more,
    headers: { authorization, ...more.headers },
  })
  if (takesBody(method)) {
    const all = { ...bodies, ...(path.includes('/gamma/') ? large : {}) }
    for (const [kind, body] of Object.entries(all)) yield [say(kind), to({ headers: json, body })]
    for (const [kind, type, body] of bombs) {
      yield [say(kind), to({ headers: type, body })]
      yield [say(`${kind}, no token`), { method, path, headers: type, body }]
    }
    for (const [kind, body] of Object.entries(forms)) yield [say(kind), to({ headers: form, body })]
    const { type, ...parts } = multipart
    for (const [kind, body] of Object.entries(parts))
      yield [say(`parts: ${kind}`), to({ headers: type, body })]
    yield [say('byte by byte'), to({ headers: json, body: '[{}]'.repeat(50), piece: 1 })]
  }
  for (const [kind, given] of Object.entries(headers))
    if (!isOperation || ofOperations.has(kind))
      yield [say(`headers: ${kind}`), { method, path, headers: given }]
  for (const [kind, query] of Object.entries(queries))
    yield [say(`query: ${kind}`), { ...to({}), path: `${path}?${query}` }]
}

/** The most that one of them takes, by the bound of each. */
async function excesses(requests: Iterable<[string, Sent]>): Promise<string[]> {
  const found: string[] = []
  for (const each of requests) found.push(...[await excess(...each)].flatMap((text) => text ?? []))
  return found
}

// The kernels of others do not tell the time of a thread.
describe.skipIf(process.platform !== 'linux')('nothing that is sent stops the process:', () => {
  test('to no page and no door', async () => {
    const found = []
    for (const path of pages)
      for (const method of ['GET', 'POST']) found.push(...(await excesses(worst(method, path))))
    expect(found).toEqual([])
  }, 300_000)

  test('to no operation', async () => {
    const found = []
    for (const each of served)
      found.push(...(await excesses(worst(each.operation.method, pathOf(each), true))))
    expect(found).toEqual([])
  }, 300_000)

  test('in no field of an operation', async () => {
    const found = []
    for (const each of served) {
      const { method, body } = each.operation
      const input = anyInput(each)
      for (const [kind, unit] of Object.entries(texts)) {
        const bytes = takesBody(method) ? BODY_BYTES / 2 : HEADER_BYTES / 6
        const fields = Object.keys(each.input.shape)
        const long = filled(unit, Math.floor(bytes / Math.max(1, fields.length)))
        const given = Object.fromEntries(fields.map((field) => [field, long]))
        const name = `${method} ${pathOf(each)}, ${kind}`
        const authorization = `Bearer ${token}`
        const query = new URLSearchParams(given).toString()
        const sent: Sent = takesBody(method)
          ? body === 'form'
            ? { method, path: pathOf(each), headers: { ...form, authorization }, body: query }
            : {
                method,
                path: pathOf(each),
                headers: { ...json, authorization },
                body: JSON.stringify(typeof body === 'object' ? [given] : { ...input, ...given }),
              }
          : { method, path: `${pathOf(each)}?${query.slice(0, HEADER_BYTES)}`, headers: { authorization } }
        found.push(...(await excesses([[name, sent]])))
      }
    }
    expect(found).toEqual([])
  }, 300_000)
})
