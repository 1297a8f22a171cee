import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openDatabase } from '@companion/server/database/database.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloneDatabase } from '../support/database.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { startProxy } from '../support/proxy.ts'
import { TEST_SECRET } from '../support/server.ts'
import { embeddedPostgres, isAlive, spawnService, startServiceProcess } from '../support/service-process.ts'
import type { ServiceProcess } from '../support/service-process.ts'

const NIGHT = '2026-03-01T21:30:00'
let directory: string
let service: ServiceProcess
let database: Awaited<ReturnType<typeof openDatabase>>
let device: string

const start = async () => {
  service = await startServiceProcess(directory)
  await service.readiness(200)
  database = await openDatabase((await embeddedPostgres(directory)).url, { pool: 2 })
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'companion-stop-'))
  await start()
  const server = { ...service, database }
  device = (await addChild(server, (await signUp(server)).token)).unique_id
  await database.close()
  service.terminate()
  await service.exited
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** Sends an upload whose body takes `milliseconds` to arrive. */
function slowUpload(log_file_id: number, milliseconds: number): Promise<number | string | undefined> {
  const body = JSON.stringify([devlogItem(device, NIGHT, { log_file_id })])
  return new Promise((resolve) => {
    const sent = request(`${service.url}/api/v1/gamma/device/devlog`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    })
    sent.on('response', (response) => resolve(response.resume().statusCode))
    sent.on('error', (error) => resolve(error.message))
    sent.write(body.slice(0, 20))
    setTimeout(() => sent.end(body.slice(20)), milliseconds)
  })
}

test('SIGTERM lets every request in flight be answered, stops the database, and ends with 0', async () => {
  await start()
  const { pid } = await embeddedPostgres(directory)
  // Requests that hang on a lock, one whose body still arrives, and a stream of others.
  const holder = await database.pool.connect()
  await holder.query('BEGIN')
  await holder.query('SELECT FROM device FOR UPDATE')
  const locked = Array.from({ length: 5 }, (_, n) =>
    upload(service, [devlogItem(device, NIGHT, { log_file_id: 100 + n })]),
  )
  const slow = slowUpload(200, 1500)
  await pause(300)
  const ended = new AbortController()
  const stream = (async () => {
    const answers: (number | 'refused')[] = []
    while (!ended.signal.aborted)
      answers.push(
        await service.get('/healthz').then(
          ({ status }) => status,
          () => 'refused' as const,
        ),
      )
    return answers
  })()
  await pause(100)
  const stopped = Date.now()
  service.terminate()
  await pause(1000)
  await expect(fetch(`${service.url}/healthz`)).rejects.toThrow('fetch failed')
  await holder.query('COMMIT')
  holder.release()
  expect((await Promise.all(locked)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  expect(await slow).toBe(200)
  const { rows } = await database.pool.query('SELECT log_file_id FROM treatment ORDER BY 1')
  expect(rows.map(({ log_file_id }) => log_file_id)).toEqual([100, 101, 102, 103, 104, 200])
  await database.close()
  expect(await service.exited).toBe(0)
  ended.abort()
  expect(new Set(await stream)).toEqual(new Set([200, 'refused']))
  expect(Date.now() - stopped).toBeLessThan(10_000)
  expect(isAlive(pid)).toBe(false)
})

test('so does SIGINT; with --json nothing is printed beside the log', async () => {
  service = await startServiceProcess(directory, {}, ['--demo', '--json'])
  await service.readiness(200)
  const { pid } = await embeddedPostgres(directory)
  const slow = slowUpload(300, 1000)
  await pause(300)
  process.kill(service.pid, 'SIGINT')
  expect(await slow).toBe(200)
  expect(await service.exited).toBe(0)
  expect(isAlive(pid)).toBe(false)
  expect(service.log()).not.toContain('Companion runs at')
})

test('SIGTERM during uploads loses nothing that was acknowledged', async () => {
  await start()
  await database.close()
  const acknowledged: number[] = []
  let nextLog = 1000
  const devices = Array.from({ length: 8 }, async () => {
    for (;;) {
      const log_file_id = nextLog++
      const answer = await upload(service, [devlogItem(device, NIGHT, { log_file_id })]).catch(
        () => undefined,
      )
      if (!answer) return
      expect(answer.status).toBe(200)
      acknowledged.push(log_file_id)
    }
  })
  await pause(300)
  service.terminate()
  await Promise.all(devices)
  expect(await service.exited).toBe(0)
  await start()
  const { rows } = await database.pool.query('SELECT log_file_id FROM treatment WHERE log_file_id >= 1000')
  await database.close()
  service.terminate()
  expect(await service.exited).toBe(0)
  const stored = rows.map((row) => row.log_file_id)
  expect(acknowledged.length).toBeGreaterThan(0)
  expect(stored).toHaveLength(new Set(stored).size)
  expect(acknowledged.filter((log) => !stored.includes(log))).toEqual([])
})

test('SIGTERM while the database starts leaves no database behind', async () => {
  const child = spawnService(directory)
  const ended = once(child, 'exit')
  child.stdout.resume()
  child.stderr.resume()
  const pidFile = join(directory, 'postgres', 'data', 'postmaster.pid')
  const isReady = () =>
    readFile(pidFile, 'utf8').then(
      (lines) => lines.includes('ready'),
      () => false,
    )
  while (child.exitCode === null && !(await isReady())) await pause(2)
  const { pid } = await embeddedPostgres(directory)
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect(isAlive(pid)).toBe(false)
})

test('SIGTERM while the database is out of reach is no failure', async () => {
  service = await startServiceProcess(directory, {
    DATABASE_URL: 'postgres://nobody:x@127.0.0.1:1/nothing',
    TOKEN_SECRET: TEST_SECRET,
  })
  await service.readiness(503)
  service.terminate()
  expect(await service.exited).toBe(0)
  expect(service.log()).not.toContain('AbortError')
})

test('SIGTERM while the database is silent is none either, whoever waits for it', async () => {
  const cloned = await cloneDatabase()
  const proxy = await startProxy(cloned.url)
  const environment = { DATABASE_URL: proxy.url, TOKEN_SECRET: TEST_SECRET }
  const running = await startServiceProcess(directory, environment)
  await running.readiness(200)
  database = await openDatabase(cloned.url, { pool: 1 })
  const holder = await database.pool.connect()
  await holder.query('BEGIN; LOCK TABLE migration')
  const starting = await startServiceProcess(directory, environment)
  await starting.readiness(503)
  proxy.become('silent')
  // Every two seconds it is asked for alerts.
  await pause(2500)
  const stopped = Date.now()
  for (const each of [running, starting]) each.terminate()
  expect(await Promise.all([running.exited, starting.exited])).toEqual([0, 0])
  expect(Date.now() - stopped).toBeLessThan(10_000)
  holder.release(true)
  await database.close()
  await proxy.close()
  await cloned.drop()
})
