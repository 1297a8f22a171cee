import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHttpServer } from '@companion/server/http/server/http-server.ts'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { startServiceProcess } from '../support/service-process.ts'
import { useServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const server = useServer()
const directory = await mkdtemp(join(tmpdir(), 'companion-slow-'))
afterAll(() => rm(directory, { recursive: true, force: true }))

/** The responses of a server to raw bytes. */
function exchange(url: string, text: string): Promise<string> {
  const { port, hostname } = new URL(url)
  return new Promise((resolve, reject) => {
    let response = ''
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.on('data', (bytes) => (response += String(bytes)))
    socket.on('close', () => resolve(response))
    socket.on('error', reject)
  })
}

const jsonResponse = (status: string, detail: string) =>
  new RegExp(
    `^HTTP/1.1 ${status}\r\n(?:.+\r\n)*Content-Type: application/json.*\r\n\r\n${JSON.stringify({ detail })}$`,
    'is',
  )

test('bytes that are no HTTP are refused in JSON', async () => {
  expect(await exchange(server.url, 'NONSENSE\r\n\r\n')).toMatch(
    jsonResponse('400 Bad Request', 'Request is not valid HTTP'),
  )
})

test('HTTP/1.1 that does not name its host is refused in JSON', async () => {
  expect(await exchange(server.url, 'GET /healthz HTTP/1.1\r\n\r\n')).toMatch(
    jsonResponse('400 Bad Request', 'Request is not valid HTTP'),
  )
  expect(await exchange(server.url, 'GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 OK\r\n/)
})

test.each([
  ['a length and pieces', 'Content-Length: 4\r\nTransfer-Encoding: chunked'],
  ['two lengths', 'Content-Length: 4\r\nContent-Length: 5'],
  ['pieces by another name', 'Transfer-Encoding: chunked, identity'],
])(
  'a body with %s, whose end proxies see at different places, is refused in JSON',
  async (_what, headers) => {
    const smuggled = '0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
    const response = await exchange(
      server.url,
      `POST /trpc/x HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n${smuggled}`,
    )
    expect(response).toMatch(jsonResponse('400 Bad Request', 'Request is not valid HTTP'))
  },
)

test('an expectation that nobody meets is refused in JSON', async () => {
  const demanding = 'POST /trpc/x HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nContent-Length: 9\r\n\r\n'
  expect(await exchange(server.url, demanding)).toMatch(
    jsonResponse('417 Expectation Failed', 'Request expects what is not offered'),
  )
})

test('headers of more than 8 KiB are refused in JSON', async () => {
  const wide = `GET /healthz HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${'x'.repeat(8192)}\r\n\r\n`
  expect(await exchange(server.url, wide)).toMatch(
    jsonResponse('431 Request Header Fields Too Large', 'Request headers are too large'),
  )
})

/** A server that gives up sooner than the service, and reads every body. */
async function impatientServer(timeout: Parameters<typeof createHttpServer>[1]): Promise<string> {
  const impatient = createHttpServer(
    (request, response) => request.resume().on('end', () => response.end('read')),
    { checkMs: 20, ...timeout },
  )
  await new Promise<void>((resolve) => impatient.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void impatient.close())
  const address = impatient.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

const late = jsonResponse('408 Request Timeout', 'Request took too long')
const SLOW_HEADERS = 'GET / HTTP/1.1\r\nHost: x\r\n'
const SLOW_BODY = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n['

test('headers, and bodies, that do not come in time are refused in JSON', async () => {
  const url = await impatientServer({ headersMs: 200, requestMs: 400 })
  expect(await exchange(url, SLOW_HEADERS)).toMatch(late)
  expect(await exchange(url, SLOW_BODY)).toMatch(late)
})

test('a body without progress is refused in JSON long before it had to be complete', async () => {
  const url = await impatientServer({ windowMs: 200, bytesPerSecond: 100_000 })
  expect(await exchange(url, SLOW_BODY)).toMatch(late)
})

test('a connection whose bodies have come may stay idle for longer', async () => {
  const url = await impatientServer({ windowMs: 200, bytesPerSecond: 100_000 })
  const { port, hostname } = new URL(url)
  let responses = ''
  const idle = connect(Number(port), hostname).on('data', (bytes) => (responses += String(bytes)))
  onTestFinished(() => void idle.destroy())
  const answered = (count: number) => until(() => responses.split('read').length > count)
  idle.write(`${SLOW_BODY}12345678`)
  await answered(1)
  // Meanwhile another one, which began later, is found too slow.
  expect(await exchange(url, SLOW_BODY)).toMatch(late)
  idle.write(`${SLOW_BODY}12345678`)
  await answered(2)
  expect(responses).not.toContain('408')
})

/** A connection that sends one more byte when it is told to: of its headers, or of an upload's body. */
function slowConnection(url: string, kind: number) {
  const { port, hostname } = new URL(url)
  const head =
    kind % 2 === 0
      ? 'GET /healthz HTTP/1.1\r\nX-Slow: '
      : 'POST /api/v1/gamma/device/devlog HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n['
  let socket: Socket
  // One that was given up comes again.
  const open = () => {
    socket = connect(Number(port), hostname, () => socket.write(head))
    socket.on('error', () => {}).on('close', open)
  }
  open()
  return {
    sendByte: () => void socket.write(' '),
    end: () => void socket.off('close', open).destroy(),
  }
}

test('1,000 connections that send byte after byte cost the others nothing', async () => {
  const service = await startServiceProcess(directory)
  await service.readiness(200)
  const measured = async (series: string) => {
    const { body } = await service.get('/metrics')
    return Number(
      String(body)
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.slice(series.length),
    )
  }
  /**
   * The processor time that the service needs for 200 calls that ask the database, in the cheapest of several rounds. The rounds end
   * with the first that costs less than `enough`.
   */
  const cost = async (rounds: number, { enough = 0, beside = (_call: number) => {} } = {}) => {
    const costs: number[] = []
    for (let round = 0; round < rounds && !costs.some((each) => each < enough); round += 1) {
      const before = await measured('process_cpu_seconds_total')
      for (let call = 0; call < 200; call += 1) {
        beside(call)
        const { status } = await service.get('/api/v1/gamma/device/history', {
          query: { unique_id: '00000000-0000-4000-8000-000000000000' },
        })
        expect(status).toBe(200)
      }
      costs.push((await measured('process_cpu_seconds_total')) - before)
    }
    return Math.min(...costs)
  }
  // Its code is compiled by then.
  await cost(2)
  const alone = await cost(7)
  const slow = Array.from({ length: 1000 }, (_, n) => slowConnection(service.url, n))
  const areOpen = async () => (await measured('nodejs_active_handles{type="Socket"}')) >= 1000
  await until(areOpen)
  // Five bytes with each call, as when all send one a second and 200 calls come within it.
  const beside = await cost(7, {
    enough: 2 * alone,
    beside(call) {
      for (let n = 0; n < 5; n += 1) slow[(5 * call + n) % slow.length]?.sendByte()
    },
  })
  await until(areOpen)
  for (const { end } of slow) end()
  service.terminate()
  expect(await service.exited).toBe(0)
  expect(beside).toBeLessThan(2 * alone)
})
