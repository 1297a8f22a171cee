import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openDatabase } from '@companion/server/database/database.ts'
import { openEmbeddedPostgres } from '@companion/server/embedded-postgres/open.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { addChild, signUp } from '../support/family.ts'
import { closedPort } from '../support/outside/local-server.ts'
import { TEST_SECRET } from '../support/server.ts'
import { isAlive, startServiceProcess } from '../support/service-process.ts'
import type { ServiceProcess } from '../support/service-process.ts'
import { SENDERS, storedUploads, uploadSteadily } from '../support/steady-uploads.ts'
import type { SteadyUploads } from '../support/steady-uploads.ts'
import { until } from '../support/until.ts'

const AWAY = '503 {"detail":"Part of the service is not available. Please try again later."}'
const INTERNAL = '500 {"detail":"Internal server error. Please try again later."}'
const run = promisify(execFile)

let directory: string
let service: ServiceProcess
let postgres: Awaited<ReturnType<typeof openEmbeddedPostgres>>
const opened: (typeof postgres)[] = []
let startPostgres: () => Promise<void>
let unmount = async () => {}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'companion-dies-'))
  await chmod(directory, 0o755)
})
afterEach(async () => {
  service.terminate()
  await service.exited
  // A process that opened it counts until it leaves it, even if the server has died.
  for (const each of opened.splice(0)) await each.stop()
  if (isAlive(postgres.pid)) throw new Error('PostgreSQL outlives its test')
  await unmount()
  await rm(directory, { recursive: true, force: true })
})

/** A service on a PostgreSQL of its own below `home`, with a family; resolves to its device and what its parent reads. */
async function settle(home: string) {
  const settings = { port: String(await closedPort()), min_wal_size: '32MB', max_wal_size: '32MB' }
  startPostgres = async () => {
    postgres = await openEmbeddedPostgres({ directory: join(home, 'postgres'), settings })
    opened.push(postgres)
  }
  await startPostgres()
  service = await startServiceProcess(directory, { DATABASE_URL: postgres.url, TOKEN_SECRET: TEST_SECRET })
  await service.readiness(200)
  const database = await openDatabase(postgres.url, { pool: 1 })
  const server = { ...service, database }
  const { token } = await signUp(server)
  const { unique_id, real_user_id } = await addChild(server, token)
  await database.close()
  const query = { real_user_id, current_date: '2026-03-02' }
  return { unique_id, readChart: () => service.get('/api/v1/beta/chart/recent', { token, query }) }
}

/** The stored records of a device, seen by a connection of its own. */
async function stored(unique_id: string): Promise<number[]> {
  const database = await openDatabase(postgres.url, { pool: 1 })
  try {
    return await storedUploads(database, unique_id)
  } finally {
    await database.close()
  }
}

/** Waits until something is acknowledged that was not before; resolves to how many attempts have failed until then. */
async function nextAcknowledged({ acknowledged, failures }: SteadyUploads): Promise<number> {
  const failed = () => [...failures.values()].reduce((sum, count) => sum + count, 0)
  const [{ length }, before] = [acknowledged, failed()]
  await until(() => acknowledged.length > length)
  return failed() - before
}

test('PostgreSQL stopped at once and started again: JSON errors for seconds, nothing acknowledged is lost', async () => {
  const { unique_id, readChart } = await settle(directory)
  const uploads = uploadSteadily(service.url, unique_id)
  const responses = new Set<string>()
  const over = new AbortController()
  const reader = (async () => {
    while (!over.signal.aborted) {
      const { status, body } = await readChart()
      responses.add(status === 200 ? '200' : `${status} ${JSON.stringify(body)}`)
      await pause(5)
    }
  })()
  for (let round = 0; round < 3; round += 1) {
    await until(() => uploads.acknowledged.length > 50 * (round + 1))
    // As pg_ctl -m immediate does.
    process.kill(postgres.pid, 'SIGQUIT')
    await until(() => !isAlive(postgres.pid))
    await service.readiness(503)
    const before = [...uploads.acknowledged]
    await startPostgres()
    // The call under way for each sender, and the call after it.
    expect(await nextAcknowledged(uploads)).toBeLessThanOrEqual(2 * SENDERS)
    await service.readiness(200)
    const there = new Set(await stored(unique_id))
    expect(before.filter((log) => !there.has(log))).toEqual([])
  }
  const sent = await uploads.finish()
  over.abort()
  await reader
  expect(await stored(unique_id)).toEqual(sent)
  expect([...uploads.failures.keys()]).toEqual([AWAY])
  expect([...responses].toSorted()).toEqual(['200', AWAY])
  expect(await readChart()).toMatchObject({ status: 200 })
})

/** Whether this process may mount a disk of its own, which is small: root may, but not in every container. */
async function mayMount(): Promise<boolean> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '')
  const CAP_SYS_ADMIN = 1n << 21n
  return (BigInt(`0x${/^CapEff:\s*(\w+)/m.exec(status)?.[1] ?? '0'}`) & CAP_SYS_ADMIN) !== 0n
}

test.skipIf(!(await mayMount()))(
  'a disk that is full, and then is not: JSON errors until then, and all is well',
  async () => {
    const disk = join(directory, 'disk')
    await mkdir(disk)
    await run('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', disk])
    unmount = () => run('umount', ['-l', disk]).then(() => undefined)
    const { unique_id, readChart } = await settle(disk)
    const uploads = uploadSteadily(service.url, unique_id)
    await nextAcknowledged(uploads)
    const fill = () => run('sh', ['-c', 'cat /dev/zero > "$0" 2> /dev/null || true', join(disk, 'filler')])
    const free = () => rm(join(disk, 'filler'))
    const { pid } = postgres

    // No room for another page: PostgreSQL refuses what needs one, and answers what does not.
    await fill()
    await until(() => uploads.failures.has(INTERNAL))
    expect(await readChart()).toMatchObject({ status: 200 })
    await free()
    await nextAcknowledged(uploads)
    await service.readiness(200)

    // No room for its log either: it goes down, and comes back when its operator starts it again.
    await fill()
    const database = await openDatabase(postgres.url, { pool: 1 })
    const write = `SELECT pg_logical_emit_message(true, 'fill', repeat('x', 1000000))`
    while (isAlive(pid)) await database.pool.query(write).catch(() => undefined)
    await database.close()
    await service.readiness(503)
    await free()
    await startPostgres()
    await nextAcknowledged(uploads)
    await service.readiness(200)

    const sent = await uploads.finish()
    expect(await stored(unique_id)).toEqual(sent)
    expect([...uploads.failures.keys()].filter((told) => told !== AWAY)).toEqual([INTERNAL])
    expect(await readChart()).toMatchObject({ status: 200 })
  },
)
