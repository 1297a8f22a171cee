import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { deviceErrors } from '@companion/server/http/device-error.ts'
import { addChild, addDevice, devlogItem, signUp } from '../support/family.ts'
import { reading } from '../support/basestations.ts'
import { useServer } from '../support/server.ts'

const server = useServer({ RATE_LIMITS: 'on' })
const UPLOAD = '/api/v1/gamma/device/devlog'

let device: string
let free: string
beforeAll(async () => {
  device = (await addChild(server, (await signUp(server)).token)).unique_id
  free = (await addDevice(server)).unique_id
})

const night = (unique_id: string, date = '2026-03-01T21:30:00') => devlogItem(unique_id, date)
const send = (json: unknown, headers = {}) => server.post(UPLOAD, { json, headers })
const told = async (response: ReturnType<typeof send>) => {
  const { status, headers } = await response
  return `${status} ${headers.get('x-error')}`
}

describe('an error says in one word what to do', () => {
  const read = (path: string, query: Record<string, string>) =>
    server.get(`/api/v1/gamma/device/${path}`, { query })
  test.each<[string, () => ReturnType<typeof send>]>([
    ['422 clock', () => send([{ ...night(device, '1970-01-01T00:00:00'), log_file_id: -1 }])],
    ['422 invalid', () => send([{ ...night(device), log_file_id: -1 }])],
    // No dates at all: no time that the device takes mends them.
    ...['2026-13-01T21:00:00', '2026-02-30T21:00:00', '20261119T210000', '', '2036'].map(
      (date): [string, () => ReturnType<typeof send>] => ['422 invalid', () => send([night(device, date)])],
    ),
    [
      '422 clock',
      () =>
        server.post('/api/v1/gamma/basestation/environment', {
          json: [reading(device, '1970-01-01T00:00:00')],
        }),
    ],
    [
      '400 invalid',
      () => server.post(UPLOAD, { body: '[{', headers: { 'content-type': 'application/json' } }),
    ],
    ['415 invalid', () => server.post(UPLOAD, { body: 'x', headers: { 'content-type': 'text/csv' } })],
    ['404 unknown-device', () => send([night(randomUUID())])],
    ['400 unknown-device', () => read('detail', { unique_id: randomUUID(), event_date: '2026-03-01' })],
    ['409 not-connected', () => send([night(free)])],
    ['401 not-allowed', () => send([night(device)], { authorization: 'Bearer x' })],
    ['404 no-records', () => server.delete(UPLOAD, { query: { unique_id: device } })],
    ['404 not-found', () => read('tim', {})],
    ['405 not-found', () => server.post('/api/v1/gamma/device/time')],
    [
      '413 too-large',
      () =>
        server.post(UPLOAD, {
          body: gzipSync(Buffer.alloc(5_000_001, ' ')),
          headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
        }),
    ],
  ])('%s', async (expected, call) => {
    expect(await told(call())).toBe(expected)
  })

  test('429 too-many, and when to come back', async () => {
    for (let n = 0; n < 25; n += 1) await send([night(randomUUID())])
    const { status, headers } = await send([night(randomUUID())])
    expect([status, headers.get('x-error')]).toEqual([429, 'too-many'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  })

  test('500 busy', async () => {
    await server.database.pool.query('ALTER TABLE treatment RENAME TO gone')
    try {
      expect(await told(send([night(device)]))).toBe('500 busy')
    } finally {
      await server.database.pool.query('ALTER TABLE gone RENAME TO treatment')
    }
  })

  test.each(['contract.md', 'firmware.md'])(
    'of a closed list of words, all of them in docs/%s',
    async (page) => {
      const text = await readFile(new URL(`../../docs/${page}`, import.meta.url), 'utf8')
      const words = Object.keys(deviceErrors)
      const listed = new Set([...text.matchAll(/^\| `(?:X-Error: )?([a-z-]+)` /gm)].map(([, word]) => word))
      expect(words.filter((word) => !listed.has(word))).toEqual([])
      const document = (await server.get('/openapi.json')).body
      expect(document.components.headers['X-Error'].schema.enum).toEqual(words)
    },
  )
})

test('other calls are answered without it', async () => {
  const { status, headers } = await server.get('/api/v1/beta/user/me')
  expect([status, headers.get('x-error')]).toEqual([401, null])
})

test('an accepted upload is answered in at most 350 bytes, without headers for browsers', async () => {
  const { hostname, port } = new URL(server.url)
  const body = JSON.stringify([night(device)])
  const socket = connect(Number(port), hostname)
  socket.write(
    `POST ${UPLOAD} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
  const response = await text(socket)
  expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(response).not.toMatch(
    /content-security-policy|x-frame-options|referrer-policy|x-content-type-options/i,
  )
  expect(Buffer.byteLength(response)).toBeLessThanOrEqual(350)
})
