import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@companion/server/database/database.ts'
import { statement } from '@companion/server/database/statement.ts'
import type { Database } from '@companion/server/database/database.ts'
import ExcelJS from 'exceljs'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createClient } from '../support/client.ts'
import type { Client } from '../support/client.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { startHaproxy } from '../support/machines/haproxy.ts'
import { closedPort } from '../support/outside/local-server.ts'
import { startProxy } from '../support/machines/proxy.ts'
import type { Proxy } from '../support/machines/proxy.ts'
import { catchUp } from '../support/machines/replica.ts'
import { TEST_SECRET } from '../support/server.ts'
import { storedUploads, uploadSteadily } from '../support/steady-uploads.ts'
import { startServiceProcess } from '../support/service-process.ts'
import type { ServiceProcess } from '../support/service-process.ts'
import { until } from '../support/until.ts'
import { hasNoLab, labEnvironment, openLab } from './open.ts'
import type { Lab } from './open.ts'

/* Two servers behind HAProxy, on PgBouncer and a streaming replica: what one machine after the other takes with it. */

const NIGHT = '2026-03-01T21:30:00'

interface Machine {
  port: number
  service: ServiceProcess
}

let directory: string
let lab: Lab
/** Between the servers and the replica. */
let network: Proxy
let environment: Record<string, string>
let machines: Machine[]
let balancer: Awaited<ReturnType<typeof startHaproxy>>
let database: Database
let client: Client
let family: Parameters<typeof addChild>[0]
let parent: Awaited<ReturnType<typeof signUp>>
let child: Awaited<ReturnType<typeof addChild>>

const start = (port: number) => startServiceProcess(directory, { ...environment, PORT: String(port) })

async function newMachine(): Promise<Machine> {
  const port = await closedPort()
  return { port, service: await start(port) }
}

describe.skipIf(hasNoLab)('on several machines', () => {
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'companion-machines-'))
    lab = await openLab(10)
    network = await startProxy(lab.replica.url)
    environment = {
      TOKEN_SECRET: TEST_SECRET,
      ...labEnvironment({ poolerUrl: lab.poolerUrl, replicaUrl: network.url }, 'companion'),
    }
    database = await openDatabase(lab.primaryUrl, { pool: 2 })
    machines = await Promise.all([newMachine(), newMachine()])
    await Promise.all(machines.map(({ service }) => service.readiness(200)))
    balancer = await startHaproxy(machines.map(({ service }) => service.url))
    client = createClient(balancer.url)
    family = { ...client, outbox: async () => (await machines[0]?.service.outbox()) ?? [], database }
    parent = await signUp(family)
    child = await addChild(family, parent.token)
  })
  afterAll(async () => {
    await balancer.stop()
    for (const { service } of machines) service.terminate()
    await Promise.all(machines.map(({ service }) => service.exited))
    await database.close()
    await network.close()
    await lab.close()
    await rm(directory, { recursive: true, force: true })
  })

  /** How often the replica has served both machines, or for what reason not. */
  async function replicaReads(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {}
    for (const { service } of machines) {
      const { body } = await service.get('/metrics')
      for (const [, outcome = '', count] of String(body).matchAll(
        /companion_replica_reads_total\{outcome="(\w+)"\} (\d+)/g,
      ))
        counts[outcome] = (counts[outcome] ?? 0) + Number(count)
    }
    return counts
  }

  let nextLog = 1

  /** Uploads a log and reads it back from the workbook at once. */
  async function uploadAndExport(): Promise<void> {
    const log_file_id = nextLog++
    const { status } = await upload(family, [devlogItem(child.unique_id, NIGHT, { log_file_id })])
    expect(status).toBe(200)
    const period = { unique_id: child.unique_id, start_date: '2026-03-01', end_date: '2026-03-01' }
    const response = await fetch(
      `${balancer.url}/api/v1/gamma/device/export?${new URLSearchParams(period).toString()}`,
    )
    expect(response.status).toBe(200)
    const bytes = await response.arrayBuffer()
    const book = new ExcelJS.Workbook()
    await book.xlsx.load(bytes)
    const logs = book.getWorksheet('Treatments')?.getColumn(9).values.slice(7).map(Number)
    expect(logs).toEqual(Array.from({ length: log_file_id }, (_, n) => n + 1))
  }

  /** Does so until these outcomes have come, each once more at least. */
  async function uploadAndExportUntil(...outcomes: string[]): Promise<void> {
    const before = await replicaReads()
    await until(async () => {
      await uploadAndExport()
      const now = await replicaReads()
      return outcomes.every((outcome) => (now[outcome] ?? 0) > (before[outcome] ?? 0))
    })
  }

  test('a read from the replica has the latest write', async () => {
    await catchUp(database, lab.replica.database)
    for (let n = 0; n < 5; n += 1) await uploadAndExportUntil('served')
    expect((await client.get('/readyz')).body).toEqual({
      status: 'ready',
      replicas: { configured: 1, resting: expect.any(Number) },
    })
  })

  test('a replica that does not replay, is cut off, silent or dead costs time alone', async () => {
    const { pool } = lab.replica.database
    for (const [outcome, begin, end] of [
      [
        'behind',
        () => pool.query('SELECT pg_wal_replay_pause()'),
        () => pool.query('SELECT pg_wal_replay_resume()'),
      ],
      ['unreachable', () => network.become('silent'), () => network.become('open')],
      ['unreachable', () => network.become('refused'), () => network.become('open')],
      ['unreachable', () => lab.replica.stop('SIGQUIT'), () => lab.replica.restart()],
    ] as const) {
      const before = await replicaReads()
      await begin()
      await uploadAndExportUntil(outcome, 'resting')
      expect((await replicaReads())['served']).toBe(before['served'])
      expect(await client.get('/readyz')).toMatchObject({ status: 200 })
      await end()
      await until(async () => {
        const states = await Promise.all(machines.map(({ service }) => service.get('/readyz')))
        return states.every(({ body }) => body.replicas.resting === 0)
      })
    }
    await catchUp(database, lab.replica.database)
    await uploadAndExportUntil('served')
  })

  const isReplica = statement<{ is_replica: boolean }>(
    'is-replica',
    'SELECT pg_is_in_recovery() AS is_replica',
  )

  test('of several replicas each serves in turn, and what is none does not', async () => {
    const stranger = inject('postgresUrl')
    const beside = await openDatabase(lab.primaryUrl, {
      replicas: [lab.primaryUrl, network.url, stranger, 'postgres://127.0.0.1:1/none', lab.replica.url],
    })
    const read = () => beside.offload((snapshot) => snapshot((query) => query(isReplica, [])))
    let served = 0
    for (let n = 0; n < 12; n += 1) if ((await read())[0]?.is_replica) served += 1
    expect(beside.replicas.state()).toEqual({ configured: 5, resting: 3 })
    await beside.close()
    expect(served).toBe(12 - 3)
  })

  test('a read begins again on the primary when its replica dies', async () => {
    const beside = await openDatabase(lab.primaryUrl, { replicas: [network.url] })
    const isReplica = statement<{ is_replica: boolean }>(
      'is-replica',
      'SELECT pg_is_in_recovery() AS is_replica',
    )
    const seen: unknown[] = []
    const result = await beside.offload((snapshot) =>
      snapshot(async (query) => {
        seen.push(await query(isReplica, []))
        network.become('refused')
        return query(isReplica, [])
      }),
    )
    network.become('open')
    await beside.close()
    expect(seen).toEqual([[{ is_replica: true }], [{ is_replica: false }]])
    expect(result).toEqual([{ is_replica: false }])
  })

  test('an error of the work itself is not tried again', async () => {
    const beside = await openDatabase(lab.primaryUrl, { replicas: [network.url] })
    let runs = 0
    const refused = beside.offload((snapshot) =>
      snapshot(async () => {
        runs += 1
        throw new Error('not yours')
      }),
    )
    await expect(refused).rejects.toThrow('not yours')
    await beside.close()
    expect(runs).toBe(1)
  })

  /** Uploads while one machine goes down by `end` and comes back: what was sent, failed and was stored. */
  async function uploadDuring(machine: Machine | undefined, end: (service: ServiceProcess) => Promise<void>) {
    if (!machine) throw new Error('There is no such machine')
    const { unique_id } = await addChild(family, parent.token)
    const uploads = uploadSteadily(balancer.url, unique_id)
    const more = async () => {
      const { length } = uploads.acknowledged
      await until(() => uploads.acknowledged.length > length + 50)
    }
    await more()
    await end(machine.service)
    await more()
    machine.service = await start(machine.port)
    await machine.service.readiness(200)
    await more()
    const sent = await uploads.finish()
    return { sent, failures: [...uploads.failures], stored: await storedUploads(database, unique_id) }
  }

  test('stopping one server fails no request', async () => {
    const { sent, failures, stored } = await uploadDuring(machines[0], async (service) => {
      service.terminate()
      expect(await service.exited).toBe(0)
    })
    expect(failures).toEqual([])
    expect(stored).toEqual(sent)
  })

  test('killing one server loses no acknowledged upload', async () => {
    const { sent, failures, stored } = await uploadDuring(machines[1], async (service) => {
      process.kill(service.pid, 'SIGKILL')
      await service.exited
    })
    expect(failures.length).toBeGreaterThan(0)
    expect(stored).toEqual(sent)
  })
})
