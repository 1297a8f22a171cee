import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@companion/server/database/database.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestResponse } from '../support/client.ts'
import { cloneDatabase } from '../support/database.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { startProxy } from '../support/machines/proxy.ts'
import type { Proxy } from '../support/machines/proxy.ts'
import { TEST_SECRET } from '../support/server.ts'
import { startServiceProcess } from '../support/service-process.ts'
import type { ServiceProcess } from '../support/service-process.ts'
import { until } from '../support/until.ts'

const NIGHT = '2026-03-01T21:30:00'
const AWAY = {
  status: 503,
  body: { detail: 'Part of the service is not available. Please try again later.' },
}

let directory: string
let cloned: Awaited<ReturnType<typeof cloneDatabase>>
let proxy: Proxy
let service: ServiceProcess
let database: Awaited<ReturnType<typeof openDatabase>>
let parent: Account
let child: Awaited<ReturnType<typeof addChild>>

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'companion-reach-'))
  cloned = await cloneDatabase()
  proxy = await startProxy(cloned.url)
  database = await openDatabase(cloned.url, { pool: 2 })
  // It starts before its database can be reached.
  proxy.become('refused')
  service = await startServiceProcess(directory, { DATABASE_URL: proxy.url, TOKEN_SECRET: TEST_SECRET })
})
afterAll(async () => {
  service.terminate()
  await service.exited
  await proxy.close()
  await database.close()
  await cloned.drop()
  await rm(directory, { recursive: true, force: true })
})

const chart = () =>
  service.get('/api/v1/beta/chart/recent', {
    token: parent.token,
    query: { real_user_id: child.real_user_id, current_date: '2026-03-01' },
  })

async function storedLogs(): Promise<number[]> {
  const { rows } = await database.pool.query('SELECT log_file_id FROM treatment ORDER BY 1')
  return rows.map(({ log_file_id }) => log_file_id)
}

test('a service may start before its database', async () => {
  await service.readiness(503)
  expect(await service.get('/healthz')).toMatchObject({ status: 200 })
  expect(await upload(service, [devlogItem('00000000-0000-4000-8000-000000000000', NIGHT)])).toMatchObject(
    AWAY,
  )
  proxy.become('open')
  await service.readiness(200)
  const server = { ...service, database }
  parent = await signUp(server)
  child = await addChild(server, parent.token)
  expect(await upload(service, [devlogItem(child.unique_id, NIGHT)])).toMatchObject({ status: 200 })
})

test('while it is cut off every call is a 503 that says when to come again, and then all is well again', async () => {
  for (let round = 0; round < 3; round += 1) {
    proxy.become('refused')
    await service.readiness(503)
    const responses = await Promise.all([
      chart(),
      upload(service, [devlogItem(child.unique_id, NIGHT, { log_file_id: 10 + round })]),
      service.get('/api/v1/beta/user/me', { token: parent.token }),
      service.post('/api/v1/alpha/auth/email/signin', {
        form: { username: parent.email, password: 'wrong' },
      }),
      service.post('/api/v2/beta/user/create-real-user', {
        token: parent.token,
        json: {
          first_name: 'A',
          last_name: '',
          birthdate: '20180101',
          gender: 'F',
          serial_code: 'CMP-000001',
          mac_id: '0000',
          unique_id: child.unique_id,
        },
      }),
      service.delete('/api/v1/beta/user/root-user', { token: parent.token }),
    ])
    for (const { status, body, headers } of responses) {
      expect({ status, body }).toEqual(AWAY)
      expect(headers.get('retry-after')).toBe('10')
    }
    expect(responses[1]?.headers.get('x-error')).toBe('busy')
    expect(await service.get('/healthz')).toMatchObject({ status: 200 })
    proxy.become('open')
    await service.readiness(200)
    expect(await chart()).toMatchObject({ status: 200 })
  }
  expect(await storedLogs()).toEqual([1])
})

test('uploads during outages lose nothing that was acknowledged', async () => {
  const acknowledged: number[] = []
  const failed: number[] = []
  const responses: Pick<TestResponse, 'status' | 'body'>[] = []
  let nextLog = 1000
  const over = new AbortController()
  const devices = Array.from({ length: 8 }, async () => {
    while (!over.signal.aborted) {
      const log_file_id = nextLog++
      const { status, body } = await upload(service, [devlogItem(child.unique_id, NIGHT, { log_file_id })])
      responses.push({ status, body })
      if (status === 200) acknowledged.push(log_file_id)
      else failed.push(log_file_id)
    }
  })
  const more = async (list: number[]) => {
    const { length } = list
    await until(() => list.length > length + 20)
  }
  for (let outage = 0; outage < 4; outage += 1) {
    await more(acknowledged)
    proxy.become('refused')
    await more(failed)
    proxy.become('open')
  }
  await more(acknowledged)
  over.abort()
  await Promise.all(devices)
  await service.readiness(200)
  for (const response of responses.filter(({ status }) => status !== 200)) expect(response).toEqual(AWAY)
  const before = await storedLogs()
  expect(before).toHaveLength(new Set(before).size)
  expect(acknowledged.filter((log) => !before.includes(log))).toEqual([])
  // Some of the failed ones were stored and only their response was lost: a retry counts nothing twice.
  for (const log_file_id of failed) {
    expect(await upload(service, [devlogItem(child.unique_id, NIGHT, { log_file_id })])).toMatchObject({
      status: 200,
    })
  }
  expect(await storedLogs()).toEqual([1, ...[...acknowledged, ...failed].toSorted((a, b) => a - b)])
})

test('a network that goes silent for a while is a 503 of /readyz, and what hangs is answered', async () => {
  proxy.become('silent')
  const hanging = [chart(), upload(service, [devlogItem(child.unique_id, NIGHT, { log_file_id: 1 })])]
  await service.readiness(503)
  expect(await service.get('/healthz')).toMatchObject({ status: 200 })
  proxy.become('open')
  await service.readiness(200)
  expect((await Promise.all(hanging)).map(({ status }) => [200, 503].includes(status))).toEqual([true, true])
  expect(await chart()).toMatchObject({ status: 200 })
})

test('the log tells the cause, and no personal data', () => {
  expect(service.log()).toContain('out of reach')
  for (const secret of [parent.email, parent.phone, parent.token, child.unique_id]) {
    expect(service.log()).not.toContain(secret)
  }
})
