import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@companion/server/database/database.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { beginUpload } from '../support/begun-upload.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { somebodyWaits } from '../support/lock-waits.ts'
import { embeddedPostgres, isAlive, startServiceProcess } from '../support/service-process.ts'
import type { ServiceProcess } from '../support/service-process.ts'
import { SLOW_BODY_CHECK, stretched } from '../support/stretched-timers.ts'
import { until } from '../support/until.ts'

let directory: string
let service: ServiceProcess
/** One for each upload that may be under way: uploads of one device that meet wait for each other, or are refused. */
const devices: string[] = []
let workers: number[]
let postgres: { pid: number; url: string }

/** The worker processes, once there are two. */
const twoWorkers = () =>
  until(async () => {
    const children = (await readFile(`/proc/${service.pid}/task/${service.pid}/children`, 'utf8')).split(' ')
    const pids = children.filter(Boolean).map(Number)
    const commands = await Promise.all(
      pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
    )
    const found = pids.filter((pid, n) => commands[n]?.includes('serve') && isAlive(pid))
    return found.length === 2 ? found : undefined
  })

/** Waits until `count` workers listen. */
const listening = (count: number) => until(() => service.log().match(/"port":\d+/g)?.length === count)

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'companion-workers-'))
  service = await startServiceProcess(directory, stretched(SLOW_BODY_CHECK, 7000, 9500), ['--workers', '2'])
  await service.readiness(200)
  await listening(2)
  workers = await twoWorkers()
  postgres = await embeddedPostgres(directory)
  const database = await openDatabase(postgres.url, { pool: 2 })
  const { token } = await signUp(service)
  while (devices.length < 14) devices.push((await addChild({ ...service, database }, token)).unique_id)
  await database.close()
})
afterAll(async () => {
  service.terminate()
  await service.exited
  await rm(directory, { recursive: true, force: true })
})

test('the primary alone brings the schema up to date and purges', async () => {
  expect(service.log().match(/schema brought up to date/g)).toHaveLength(1)
  await until(() => service.log().includes('"msg":"purged"'))
  expect(service.log().match(/"msg":"purged"/g)).toHaveLength(1)
})

test('metrics are those of all workers, whichever is asked', async () => {
  // Each on a connection of its own, which workers take in turn.
  const headers = { connection: 'close' }
  for (let n = 0; n < 20; n += 1) await service.get('/api/v1/beta/user/me', { headers })
  const counted = async () => {
    const { body } = await service.get('/metrics', { headers })
    return String(body).includes('companion_requests_total{operation="account.me",status="401"} 20\n')
  }
  // A response is counted when its connection says that it is out.
  await until(counted)
  for (let n = 0; n < 4; n += 1) expect(await counted()).toBe(true)
})

test('a worker gives up a client whose headers do not come', async () => {
  const { port, hostname } = new URL(service.url)
  const slow = connect(Number(port), hostname, () => slow.write('GET /healthz HTTP/1.1\r\nX-Slow: '))
  let response = ''
  slow.on('data', (bytes) => (response += String(bytes)))
  await once(slow, 'close')
  expect(response).toContain('408 Request Timeout')
})

test('a worker that dies takes only what it was answering with it, and another takes its place', async () => {
  const [first = 0, second = 0] = workers
  process.kill(first, 'SIGKILL')
  // Connections that the primary had handed to it, or hands to it before it hears of its end, are lost with it.
  await until(() => service.log().includes('a worker has ended and will be replaced'))
  const [device = ''] = devices
  for (let log_file_id = 1; log_file_id <= 20; log_file_id += 1) {
    const response = await upload(service, [devlogItem(device, '2026-03-01T21:30:00', { log_file_id })], {
      connection: 'close',
    })
    expect(response.status).toBe(200)
  }
  workers = await twoWorkers()
  expect(workers).toContain(second)
  expect(workers).not.toContain(first)
  await listening(3)
})

test('the counts of a worker that died stay', async () => {
  const { body } = await service.get('/metrics', { headers: { connection: 'close' } })
  expect(String(body)).toContain('companion_requests_total{operation="account.me",status="401"} 20\n')
  expect(String(body)).toContain('companion_request_duration_seconds_count{operation="account.me"} 20\n')
  // Only of those that live.
  expect(String(body)).toMatch(/^companion_database_connections\{state="idle"\} [0-2]?\d$/m)
})

test('a port that is taken is a failure, and nothing is tried again', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  const address = other.address()
  const PORT = String(typeof address === 'object' ? address?.port : '')
  const failing = startServiceProcess(directory, { PORT }, ['--workers', '2'])
  await expect(failing).rejects.toThrow(`Port ${PORT} of 127.0.0.1 is in use`)
  other.close()
})

test('SIGTERM under load: no request is cut, exit 0 within 10 s, nothing is left behind', async () => {
  const night = (device: string, log_file_id: number) => [
    devlogItem(device, '2026-03-02T21:30:00', { log_file_id }),
  ]
  const acknowledged: number[] = []
  const statuses = new Set<number>()
  let nextLog = 2000
  const others = devices.slice(6).map(async (device) => {
    for (;;) {
      const log_file_id = nextLog++
      // A connection that waits for its next request may be closed, which is no cut.
      const response = await upload(service, night(device, log_file_id)).catch(() => undefined)
      if (!response) return
      statuses.add(response.status)
      if (response.status === 200) acknowledged.push(log_file_id)
    }
  })
  const observer = await openDatabase(postgres.url, { pool: 2 })
  const holder = await observer.pool.connect()
  await until(() => acknowledged.length > 20)
  // Of the table, because the service does not wait long for a device.
  await holder.query('BEGIN; LOCK TABLE device IN EXCLUSIVE MODE')
  const waiting = await Promise.all(
    devices.slice(0, 6).map((device, n) => beginUpload(service.url, night(device, 1000 + n))),
  )
  for (const { finish } of waiting) finish()
  await somebodyWaits(observer)
  service.terminate()
  await service.stopsListening()
  await holder.query('COMMIT')
  holder.release()
  await observer.close()
  expect(await Promise.all(waiting.map(({ response }) => response))).toEqual(Array(6).fill(200))
  await Promise.all(others)
  expect(statuses).toEqual(new Set([200]))
  expect(await service.exited).toBe(0)
  // After which it would have been 1.
  expect(service.log()).toContain('A limit of 9500 ms')
  expect([...workers, postgres.pid].filter(isAlive)).toEqual([])
  acknowledged.push(...waiting.map((_each, n) => 1000 + n))

  service = await startServiceProcess(directory)
  await service.readiness(200)
  const database = await openDatabase((await embeddedPostgres(directory)).url, { pool: 1 })
  const { rows } = await database.pool.query('SELECT log_file_id FROM treatment WHERE log_file_id >= 1000')
  await database.close()
  const stored = new Set(rows.map(({ log_file_id }) => log_file_id))
  expect(acknowledged.filter((log) => !stored.has(log))).toEqual([])
})

test('a stop loses no connection that a busy worker has not taken yet', async () => {
  service.terminate()
  await service.exited
  service = await startServiceProcess(directory, stretched(SLOW_BODY_CHECK, 7000, 9500), ['--workers', '2'])
  await service.readiness(200)
  await listening(2)
  const busy = await twoWorkers()
  for (const pid of busy) process.kill(pid, 'SIGSTOP')
  const calls = Array.from({ length: 20 }, () => {
    const call = request(`${service.url}/api/v1/beta/user/me`, { agent: false })
    const response = new Promise((resolve) => {
      call.on('response', (response) => resolve(response.resume().statusCode)).on('error', resolve)
    })
    const sent = new Promise((resolve) => call.on('finish', resolve))
    call.end()
    return { sent, response }
  })
  await Promise.all(calls.map(({ sent }) => sent))
  service.terminate()
  const { port, hostname } = new URL(service.url)
  const isRefused = () =>
    new Promise<boolean>((resolve) => {
      const probe = connect(Number(port), hostname)
      probe.on('error', () => resolve(true))
      probe.on('connect', () => {
        probe.destroy()
        resolve(false)
      })
    })
  await until(isRefused)
  for (const pid of busy) process.kill(pid, 'SIGCONT')
  expect(await Promise.all(calls.map(({ response }) => response))).toEqual(Array(20).fill(401))
  expect(await service.exited).toBe(0)
})

test('workers end when their primary does', async () => {
  service.terminate()
  await service.exited
  service = await startServiceProcess(directory, {}, ['--workers', '2'])
  await service.readiness(200)
  const orphans = await twoWorkers()
  process.kill(service.pid, 'SIGKILL')
  await expect.poll(() => orphans.filter(isAlive)).toEqual([])
  const { pid } = await embeddedPostgres(directory)
  process.kill(pid, 'SIGTERM')
  await until(() => !isAlive(pid))
})
