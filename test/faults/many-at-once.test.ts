import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@companion/server/database/database.ts'
import { expect, test } from 'vitest'
import { bareDatabase } from '../support/database.ts'
import { signIn, signUp } from '../support/family.ts'
import { TEST_SECRET } from '../support/server.ts'
import { embeddedPostgres, isAlive, startServiceProcess } from '../support/service-process.ts'
import type { ServiceProcess } from '../support/service-process.ts'

const PROCESSES = 3

async function startAtOnce(
  directory: string,
  environment: Record<string, string> = {},
): Promise<ServiceProcess[]> {
  const services = await Promise.all(
    Array.from({ length: PROCESSES }, () => startServiceProcess(directory, environment)),
  )
  await Promise.all(services.map(({ readiness }) => readiness(200)))
  return services
}

/** An account made by one process is known to all. */
async function expectOneService(services: ServiceProcess[], url: string): Promise<void> {
  const database = await openDatabase(url, { pool: 1 })
  const [first] = services
  if (!first) throw new Error('No process')
  const account = await signUp(first)
  for (const service of services) {
    expect(await signIn(service, account.email)).toMatchObject({ status: 200 })
    expect(await service.get('/api/v1/beta/user/me', { token: account.token })).toMatchObject({ status: 200 })
  }
  const { rows } = await database.pool.query('SELECT name, count(*)::int FROM migration GROUP BY 1')
  expect(rows.length).toBeGreaterThan(0)
  expect(rows.filter(({ count }) => count !== 1)).toEqual([])
  await database.close()
}

test('processes that start at once on one fresh DATA_DIR share one database, which the last one stops', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'companion-many-'))
  const services = await startAtOnce(directory)
  const { pid, url } = await embeddedPostgres(directory)
  await expectOneService(services, url)
  for (const [n, service] of services.entries()) {
    expect(isAlive(pid)).toBe(true)
    service.terminate()
    expect(await service.exited).toBe(0)
    for (const other of services.slice(n + 1)) {
      expect(await other.get('/readyz')).toMatchObject({ status: 200 })
    }
  }
  expect(isAlive(pid)).toBe(false)
  await rm(directory, { recursive: true, force: true })
})

test('processes that start at once on one empty database bring up its schema once', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'companion-many-'))
  const { url, drop } = await bareDatabase()
  const services = await startAtOnce(directory, { DATABASE_URL: url, TOKEN_SECRET: TEST_SECRET })
  await expectOneService(services, url)
  for (const service of services) service.terminate()
  expect(await Promise.all(services.map(({ exited }) => exited))).toEqual(services.map(() => 0))
  await drop()
  await rm(directory, { recursive: true, force: true })
})
