import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@companion/server/database/database.ts'
import { afterAll, expect, test } from 'vitest'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { embeddedPostgres, startServiceProcess } from '../support/service-process.ts'
import type { ServiceProcess } from '../support/service-process.ts'
import { until } from '../support/until.ts'

const ROUNDS = 5
const directory = await mkdtemp(join(tmpdir(), 'companion-crash-'))
let service: ServiceProcess | undefined
afterAll(async () => {
  service?.terminate()
  await service?.exited
  await rm(directory, { recursive: true, force: true })
})

/** Runs `work` with the database beside the service. */
async function withDatabase<Result>(
  work: (database: Awaited<ReturnType<typeof openDatabase>>) => Promise<Result>,
): Promise<Result> {
  const database = await openDatabase((await embeddedPostgres(directory)).url, { pool: 1 })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

test('a record that was acknowledged before a kill -9 of service and database is there afterwards, once', async () => {
  service = await startServiceProcess(directory)
  await service.readiness(200)
  const device = await withDatabase(async (database) => {
    const server = { ...(service as ServiceProcess), database }
    return (await addChild(server, (await signUp(server)).token)).unique_id
  })
  const acknowledged = new Set<number>()
  let nextLog = 1
  for (let round = 0; round < ROUNDS; round += 1) {
    const sent: number[][] = []
    const crashed = new AbortController()
    const keepUploading = async (running: ServiceProcess) => {
      while (!crashed.signal.aborted) {
        const logs = Array.from({ length: 5 }, () => nextLog++)
        sent.push(logs)
        const response = await upload(running, itemsOf(device, logs)).catch(() => undefined)
        if (response?.status === 200) for (const log of logs) acknowledged.add(log)
      }
    }
    const before = acknowledged.size
    const running = service
    const devices = Array.from({ length: 8 }, () => keepUploading(running))
    const enough = before + 50 + 50 * Math.random()
    await until(() => acknowledged.size > enough)
    await running.crash()
    crashed.abort()
    await Promise.all(devices)

    service = await startServiceProcess(directory)
    await service.readiness(200)
    expect(await missing(acknowledged)).toEqual([])
    // Records without acknowledgement are sent again, as a device does, and then they are there too.
    for (const logs of sent) {
      const retried = await upload(service, itemsOf(device, logs))
      expect(retried.status).toBe(200)
      for (const log of logs) acknowledged.add(log)
    }
    expect(await missing(acknowledged)).toEqual([])
  }
  expect(acknowledged.size).toBe(nextLog - 1)
})

const itemsOf = (device: string, logs: number[]) =>
  logs.map((log_file_id) =>
    devlogItem(device, '2026-03-01T21:30:00', { log_file_id, treatment_time: log_file_id % 86_400 }),
  )

/** The acknowledged logs that are not stored exactly once. */
async function missing(acknowledged: Set<number>): Promise<number[]> {
  const { rows } = await withDatabase(({ pool }) =>
    pool.query('SELECT log_file_id, treatment_time, count(*)::int FROM treatment GROUP BY 1, 2'),
  )
  const stored = new Map(rows.map(({ log_file_id, count }) => [log_file_id, count]))
  expect(rows.every(({ count }) => count === 1)).toBe(true)
  return [...acknowledged].filter((log) => stored.get(log) !== 1)
}
