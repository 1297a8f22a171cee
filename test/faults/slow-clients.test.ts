import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createHttpServer } from '@companion/server/http/http-server.ts'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { startServiceProcess } from '../support/service-process.ts'
import { useServer } from '../support/server.ts'

const server = useServer()
const directory = await mkdtemp(join(tmpdir(), 'companion-slow-'))
afterAll(() => rm(directory, { recursive: true, force: true }))

/** What a server answers to bytes that come as they are. */
function exchange(url: string, text: string): Promise<string> {
  const { port, hostname } = new URL(url)
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.on('data', (bytes) => (answer += String(bytes)))
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}

const jsonAnswer = (status: string, detail: string) =>
  new RegExp(
    `^HTTP/1.1 ${status}\r\nContent-Type: application/json.*\r\n\r\n${JSON.stringify({ detail })}$`,
    's',
  )

test('what is no HTTP is refused in JSON', async () => {
  expect(await exchange(server.url, 'NONSENSE\r\n\r\n')).toMatch(
    jsonAnswer('400 Bad Request', 'Request is not valid HTTP'),
  )
})

test('HTTP/1.1 that does not name its host is refused in JSON', async () => {
  expect(await exchange(server.url, 'GET /healthz HTTP/1.1\r\n\r\n')).toMatch(
    jsonAnswer('400 Bad Request', 'Request is not valid HTTP'),
  )
  expect(await exchange(server.url, 'GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 OK\r\n/)
})

test('an expectation that nobody meets is refused in JSON', async () => {
  const demanding = 'POST /trpc/x HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nContent-Length: 9\r\n\r\n'
  expect(await exchange(server.url, demanding)).toMatch(
    jsonAnswer('417 Expectation Failed', 'Request expects what is not offered'),
  )
})

test('headers of more than 8 KiB are refused in JSON', async () => {
  const wide = `GET /healthz HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${'x'.repeat(8192)}\r\n\r\n`
  expect(await exchange(server.url, wide)).toMatch(
    jsonAnswer('431 Request Header Fields Too Large', 'Request headers are too large'),
  )
})

test('headers, and bodies, that do not come in time are refused in JSON', async () => {
  const patient = createHttpServer((request) => request.resume(), {
    headersMs: 200,
    requestMs: 400,
    checkMs: 50,
  })
  await new Promise<void>((resolve) => patient.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void patient.close())
  const address = patient.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const late = jsonAnswer('408 Request Timeout', 'Request took too long')
  expect(await exchange(url, 'GET / HTTP/1.1\r\nHost: x\r\n')).toMatch(late)
  expect(await exchange(url, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n[')).toMatch(late)
})

/** A connection that sends a byte a second: of its headers, or of an upload's body. */
function slowConnection(url: string, kind: number): Promise<Socket> {
  const { port, hostname } = new URL(url)
  const head =
    kind % 2 === 0
      ? 'GET /healthz HTTP/1.1\r\nX-Slow: '
      : 'POST /api/v1/gamma/device/devlog HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n['
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(head)
      const timer = setInterval(() => socket.write(' '), 1000)
      socket.on('close', () => clearInterval(timer))
      resolve(socket)
    })
    socket.on('error', reject)
  })
}

test('1,000 connections that send a byte a second do not slow the others', async () => {
  const service = await startServiceProcess(directory)
  await service.readiness(200)
  // A call that asks the database.
  const call = async () => {
    const started = performance.now()
    const { status } = await service.get('/api/v1/gamma/device/history', {
      query: { unique_id: '00000000-0000-4000-8000-000000000000' },
    })
    expect(status).toBe(200)
    return performance.now() - started
  }
  const median = async () => {
    const times = []
    for (let n = 0; n < 300; n += 1) times.push(await call())
    return times.toSorted((one, other) => one - other)[150] ?? 0
  }
  await median()
  const before = await median()
  const slow = await Promise.all(Array.from({ length: 1000 }, (_, n) => slowConnection(service.url, n)))
  await pause(1000)
  const beside = await median()
  expect(slow.filter(({ destroyed }) => !destroyed)).toHaveLength(1000)
  for (const socket of slow) socket.destroy()
  service.terminate()
  expect(await service.exited).toBe(0)
  expect(beside).toBeLessThan(2 * before + 5)
})
