import { once } from 'node:events'
import { connect } from 'node:net'
import { createHttpServer } from '@companion/server/http/server/http-server.ts'
import { createLimits } from '@companion/server/limits/limits.ts'
import { createLogger } from '@companion/server/telemetry/log.ts'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { devlogItem, signUp } from '../support/family.ts'
import { connectBasestation, reading, uploadReadings } from '../support/basestations.ts'
import { useServer } from '../support/server.ts'
import { socialSignIn } from '../support/outside/social.ts'

/* Bounds of docs/operations/bounds.md that belong to no single operation. */

const server = useServer({ RATE_LIMITS: 'on' })
const tooMany = { status: 429, body: { detail: 'Too many requests' } }

describe('in a minute', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-22T10:00:00Z') })
  })
  afterEach(() => void vi.useRealTimers())

  test('an account makes 120 changes, and reads on', async () => {
    const [one, other] = [await signUp(server), await signUp(server)]
    const change = ({ token }: { token: string }) =>
      server.patch('/api/v1/beta/user/root-user', { token, json: { first_name: 'Kim' } })
    for (let n = 0; n < 120; n += 1) expect((await change(one)).status).toBe(200)
    expect(await change(one)).toMatchObject(tooMany)
    expect((await change(one)).headers.get('retry-after')).toBe('60')
    expect((await server.get('/api/v1/beta/user/me', { token: one.token })).status).toBe(200)
    expect((await change(other)).status).toBe(200)
    vi.setSystemTime(new Date('2026-11-22T10:01:00Z'))
    expect((await change(one)).status).toBe(200)
  })

  test('a base station makes 120 uploads', async () => {
    const { token } = await signUp(server)
    const [one, other] = [await connectBasestation(server, token), await connectBasestation(server, token)]
    const send = ({ unique_id }: { unique_id: string }) =>
      uploadReadings(server, [reading(unique_id, '2026-11-22T09:00:00')])
    for (let n = 0; n < 120; n += 1) expect((await send(one)).status).toBe(200)
    expect(await send(one)).toMatchObject(tooMany)
    expect((await send(other)).status).toBe(200)
  })
})

test('bodies of an address grow by 100 MB in a minute when they are unpacked', () => {
  const limits = createLimits(
    server.database.pool,
    (key) => Buffer.from(key),
    server.config,
    createLogger('silent'),
  )
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-22T10:00:00Z') })
  onTestFinished(() => void vi.useRealTimers())
  limits.countUnpacked('2001:db8::1', 60_000_000)
  expect(() => limits.countUnpacked('2001:db8::2', 60_000_000)).toThrow('Too many requests')
  expect(() => limits.countUnpacked('2001:db8:0:1::1', 60_000_000)).not.toThrow()
  vi.setSystemTime(new Date('2026-11-22T10:01:00Z'))
  expect(() => limits.countUnpacked('2001:db8::2', 60_000_000)).not.toThrow()
})

test('100,000 devices are counted in a minute, then all of them from 0 again', () => {
  const limits = createLimits(
    server.database.pool,
    (key) => Buffer.from(key),
    server.config,
    createLogger('silent'),
  )
  const count = () => limits.countUploads(new Set(['one']))
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-22T10:00:00Z') })
  onTestFinished(() => void vi.useRealTimers())
  for (let n = 0; n < 120; n += 1) count()
  expect(count).toThrow('Too many requests')
  limits.countUploads(new Set(Array.from({ length: 100_000 }, (_, n) => String(n))))
  expect(count).not.toThrow()
})

test('an ID token has 20,000 characters', async () => {
  const response = await socialSignIn(server, 'x'.repeat(20_001))
  expect(response).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'id_token'] }] } })
})

describe('an answer', () => {
  test('to a body of 240,000 issues lists 100 of them', async () => {
    const bad = devlogItem('00000000-0000-4000-8000-000000000000', '2026-03-01T21:30:00', {
      intensities: Array.from({ length: 240 }, () => -1),
      last_intensity: 3,
    })
    const { status, body } = await server.post('/api/v1/gamma/device/devlog', {
      json: Array.from({ length: 1000 }, () => bad),
    })
    expect(status).toBe(422)
    expect(body.detail).toHaveLength(100)
    expect(body.detail[1].loc).toEqual(['body', '1', 'intensity_record', '0', 'intensity'])
  })

  test('repeats no more than 200 characters of what was sent', async () => {
    const { body } = await server.get('/api/v1/gamma/device/history', {
      query: { unique_id: 'x'.repeat(4000) },
    })
    expect(body.detail[0].input).toHaveLength(200)
  })
})

test('the log has one line for a request of any kind', async () => {
  const { token } = await signUp(server)
  const before = server.log().length
  const long = 'x'.repeat(3000)
  await server.get(`/api/v1/beta/user/me/${long}`, { query: { q: long } })
  await server.get('/api/v1/beta/user/me', { token, headers: { 'x-request-id': long, 'user-agent': long } })
  await server.post('/api/v1/gamma/device/devlog', { json: [{ unique_id: long }] })
  const lines = server.log().slice(before).trimEnd().split('\n')
  expect(lines).toHaveLength(3)
  expect(lines.filter((line) => line.length > 500)).toEqual([])
})

test.each([
  ['auth.signIn', 100_000],
  ['calendar.saveEvent', 250_000],
  ['basestations.uploadEnvironment', 1_000_000],
  ['devlogs.upload', 5_000_000],
])('a call of %s over tRPC takes %d bytes', async (operation, most) => {
  const { token } = await signUp(server)
  const statusOf = async (bytes: number) => {
    const body = `"${'x'.repeat(bytes - 2)}"`
    const headers = { 'content-type': 'application/json' }
    return (await server.post(`/trpc/${operation}`, { body, headers, token })).status
  }
  expect([await statusOf(most), await statusOf(most + 1)]).toEqual([422, 413])
})

test('a form has 1,000 fields', async () => {
  const form = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`f${n}`, '']))
  const response = await server.post('/api/v1/alpha/auth/email/signin', { form })
  expect(response).toMatchObject({ status: 413, body: { detail: 'Request body is too large' } })
})

test('a connection beyond the most is closed, and an idle one is in the end', async () => {
  const http = createHttpServer((_request, response) => response.end())
  expect(http).toMatchObject({ maxConnections: 10_000, timeout: 120_000, keepAliveTimeout: 65_000 })
  http.maxConnections = 2
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void http.close())
  const address = http.address()
  const open = () => connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1')
  const kept = [open(), open()]
  onTestFinished(() => {
    for (const socket of kept) socket.destroy()
  })
  await Promise.all(kept.map((socket) => once(socket, 'connect')))
  const beyond = open().on('error', () => {})
  await once(beyond, 'close')
  expect(kept.map(({ destroyed }) => destroyed)).toEqual([false, false])
})
