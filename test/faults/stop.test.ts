import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@companion/server/database/database.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasEnded } from '../support/child-process.ts'
import { cloneDatabase } from '../support/database.ts'
import { beginUpload } from '../support/begun-upload.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { somebodyWaits } from '../support/lock-waits.ts'
import { startProxy } from '../support/machines/proxy.ts'
import { TEST_SECRET } from '../support/server.ts'
import { embeddedPostgres, isAlive, spawnService, startServiceProcess } from '../support/service-process.ts'
import type { ServiceProcess } from '../support/service-process.ts'
import { SLOW_BODY_CHECK, stretched } from '../support/stretched-timers.ts'
import { until } from '../support/until.ts'

const NIGHT = '2026-03-01T21:30:00'
let directory: string
let service: ServiceProcess
let database: Awaited<ReturnType<typeof openDatabase>>
/** One for each upload that may be under way: uploads of one device that meet wait for each other, or are refused. */
const devices: string[] = []

const start = async () => {
  service = await startServiceProcess(directory, stretched(SLOW_BODY_CHECK, 7000, 9500))
  await service.readiness(200)
  database = await openDatabase((await embeddedPostgres(directory)).url, { pool: 2 })
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'companion-stop-'))
  await start()
  const server = { ...service, database }
  const { token } = await signUp(server)
  while (devices.length < 8) devices.push((await addChild(server, token)).unique_id)
  await database.close()
  service.terminate()
  await service.exited
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** Begins an upload of the `n`th device. */
const begin = (log_file_id: number, n: number) =>
  beginUpload(service.url, [devlogItem(devices[n] ?? '', NIGHT, { log_file_id })])

// As when a terminal closes.
test('SIGHUP, like SIGTERM, lets every request in flight be answered, stops the database, and ends with 0', async () => {
  await start()
  const { pid } = await embeddedPostgres(directory)
  // Requests that hang on a lock, one whose body still arrives, and a stream of others. The lock is of the table, because
  // the service does not wait long for a device.
  const holder = await database.pool.connect()
  await holder.query('BEGIN; LOCK TABLE device IN EXCLUSIVE MODE')
  const locked = await Promise.all([100, 101, 102, 103, 104].map(begin))
  for (const { finish } of locked) finish()
  const slow = await begin(200, 5)
  await somebodyWaits(database)
  const ended = new AbortController()
  const responses = new Set<number | 'refused'>()
  const stream = (async () => {
    while (!ended.signal.aborted)
      responses.add(
        await service.get('/healthz').then(
          ({ status }) => status,
          () => 'refused' as const,
        ),
      )
  })()
  await until(() => responses.has(200))
  process.kill(service.pid, 'SIGHUP')
  await service.stopsListening()
  await holder.query('COMMIT')
  holder.release()
  slow.finish()
  expect(await Promise.all([...locked, slow].map(({ response }) => response))).toEqual(Array(6).fill(200))
  await database.close()
  expect(await service.exited).toBe(0)
  // After which it would have been 1.
  expect(service.log()).toContain('A limit of 9500 ms')
  await until(() => responses.has('refused'))
  ended.abort()
  await stream
  expect(responses).toEqual(new Set([200, 'refused']))
  expect(isAlive(pid)).toBe(false)

  await start()
  const { rows } = await database.pool.query('SELECT log_file_id FROM treatment ORDER BY 1')
  expect(rows.map(({ log_file_id }) => log_file_id)).toEqual([100, 101, 102, 103, 104, 200])
  await database.close()
  service.terminate()
  expect(await service.exited).toBe(0)
})

test('so does SIGINT; with --json nothing is printed beside the log', async () => {
  service = await startServiceProcess(directory, stretched(SLOW_BODY_CHECK, 7000, 9500), ['--demo', '--json'])
  await service.readiness(200)
  const { pid } = await embeddedPostgres(directory)
  const slow = await begin(300, 0)
  process.kill(service.pid, 'SIGINT')
  await service.stopsListening()
  slow.finish()
  expect(await slow.response).toBe(200)
  expect(await service.exited).toBe(0)
  expect(isAlive(pid)).toBe(false)
  expect(service.log()).not.toContain('Companion runs at')
})

test('SIGTERM during uploads loses nothing that was acknowledged', async () => {
  await start()
  await database.close()
  const acknowledged: number[] = []
  let nextLog = 1000
  const senders = devices.map(async (device) => {
    for (;;) {
      const log_file_id = nextLog++
      const response = await upload(service, [devlogItem(device, NIGHT, { log_file_id })]).catch(
        () => undefined,
      )
      if (!response) return
      expect(response.status).toBe(200)
      acknowledged.push(log_file_id)
    }
  })
  await until(() => acknowledged.length > 20)
  service.terminate()
  await Promise.all(senders)
  expect(await service.exited).toBe(0)
  await start()
  const { rows } = await database.pool.query('SELECT log_file_id FROM treatment WHERE log_file_id >= 1000')
  await database.close()
  service.terminate()
  expect(await service.exited).toBe(0)
  const stored = rows.map((row) => row.log_file_id)
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
  await until(async () => hasEnded(child) || (await isReady()))
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

test('SIGTERM while the database is silent is none either, no matter who waits for it', async () => {
  const cloned = await cloneDatabase()
  const proxy = await startProxy(cloned.url)
  const environment = {
    DATABASE_URL: proxy.url,
    TOKEN_SECRET: TEST_SECRET,
    // So long that a stop which waited for a statement would end with 1.
    DATABASE_STATEMENT_TIMEOUT: '600',
  }
  const running = await startServiceProcess(directory, environment)
  await running.readiness(200)
  database = await openDatabase(cloned.url, { pool: 1 })
  const holder = await database.pool.connect()
  await holder.query('BEGIN; LOCK TABLE migration')
  const starting = await startServiceProcess(directory, environment)
  await starting.readiness(503)
  proxy.become('silent')
  // It is asked for alerts from time to time.
  await until(proxy.heldBack)
  for (const each of [running, starting]) each.terminate()
  expect(await Promise.all([running.exited, starting.exited])).toEqual([0, 0])
  holder.release(true)
  await database.close()
  await proxy.close()
  await cloned.drop()
})
