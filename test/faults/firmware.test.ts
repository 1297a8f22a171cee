import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addChild, signUp } from '../support/family.ts'
import { keep, release, signedImage } from '../support/firmware.ts'
import type { SignedImage } from '../support/firmware.ts'
import { TEST_SECRET, useServer } from '../support/server.ts'
import { startServiceProcess } from '../support/service-process.ts'
import type { ServiceProcess } from '../support/service-process.ts'
import { until } from '../support/until.ts'

/* Two servers release a firmware, and one of them dies in a step, by `kill -9`. */

const DEVICES = 120
const PIECE = 40_000

const server = useServer()
const directory = await mkdtemp(join(tmpdir(), 'companion-firmware-'))
const services: ServiceProcess[] = []

let own: SignedImage
let foreign: SignedImage
let releaseId: number
let devices: string[]

beforeAll(async () => {
  const { real_user_id } = await addChild(server, (await signUp(server)).token)
  own = signedImage({ hardware: 'DEATH', image: Buffer.alloc(100_000, 7) })
  foreign = signedImage({ hardware: 'OTHER' })
  for (const each of [own, foreign]) await keep(server, each)
  releaseId = await release(server, own, '--steps', '30,60,100')
  await release(server, foreign)
  devices = Array.from({ length: DEVICES }, () => randomUUID())
  await server.database.pool.query(
    `INSERT INTO device (serial_code, mac_id, unique_id, device_alias, real_user_id, hardware)
     SELECT 'DEATH-' || i, 'ABCD', i, 'death', $2, 'DEATH' FROM unnest($1::uuid[]) i`,
    [devices, real_user_id],
  )
  const environment = { DATABASE_URL: server.databaseUrl, TOKEN_SECRET: TEST_SECRET }
  for (const name of ['one', 'two'])
    services.push(await startServiceProcess(join(directory, name), environment))
})

afterAll(async () => {
  for (const service of services) {
    service.terminate()
    await service.exited
  }
  await rm(directory, { recursive: true, force: true })
})

test('no device gets a stopped, foreign or not yet covered firmware, and no report is lost', async () => {
  /** The percentage of the devices that may be offered it; 0 once the release was stopped. */
  let percent = 30
  const over = new AbortController()
  const wrong: string[] = []
  const acknowledged = new Map<string, string>()
  let answered = 0
  const places = new Map<string, number>()
  const { rows } = await server.database.pool.query<{ id: string; place: number }>(
    'SELECT i AS id, firmware_bucket($1, i) / 4294967296.0::float8 AS place FROM unnest($2::uuid[]) i',
    [releaseId, devices],
  )
  for (const { id, place } of rows) places.set(id, place * 100)

  /** Asks one of both servers, and the other where it does not answer. */
  const call = async (path: string, init: RequestInit = {}): Promise<Response | undefined> => {
    const [first, second] = Math.random() < 0.5 ? services : services.toReversed()
    for (const service of [first, second]) {
      const response = await fetch(`${service?.url}${path}`, init).catch(() => undefined)
      if (response) {
        answered += 1
        return response
      }
    }
    return undefined
  }
  const report = async (unique_id: string, outcome: string) => {
    const body = JSON.stringify({ unique_id, firmware_id: own.fields.firmware_id, outcome })
    const headers = { 'content-type': 'application/json' }
    const response = await call('/api/v1/gamma/device/firmware/report', { method: 'POST', headers, body })
    if (response?.status === 200) acknowledged.set(unique_id, outcome)
    return response?.status
  }
  /** Every fourth device asks and loads for ever, and never installs: it sees each change of the release. */
  const live = async (unique_id: string, index: number) => {
    const place = places.get(unique_id) ?? 100
    /** Whether the device may be offered the firmware: a step that is taken meanwhile allows more, a stop nothing that is asked later. */
    const mayBeOffered = (before: number) => before > 0 && place < Math.max(before, percent)
    let loaded = Buffer.alloc(0)
    while (!over.signal.aborted) {
      const before = percent
      const asked = await call(`/api/v1/gamma/device/firmware?unique_id=${unique_id}`)
      await asked?.arrayBuffer().catch(() => undefined)
      if (asked?.status !== 200) continue
      const id = asked.headers.get('x-firmware-id')
      if (id !== String(own.fields.firmware_id) || !mayBeOffered(before))
        wrong.push(`${unique_id} at ${place} was offered ${id} at ${before} %`)
      const from = percent
      const part = await call(`/api/v1/gamma/device/firmware/${id}?unique_id=${unique_id}`, {
        headers: { range: `bytes=${loaded.length}-${loaded.length + PIECE - 1}` },
      })
      const bytes = await part?.arrayBuffer().catch(() => undefined)
      if (part?.status !== 206 || !bytes) continue
      if (!mayBeOffered(from)) wrong.push(`${unique_id} at ${place} has loaded ${id} at ${from} %`)
      if (index % 4 === 0) continue
      loaded = Buffer.concat([loaded, Buffer.from(bytes)])
      if (loaded.length < own.image.length) continue
      if (!loaded.equals(own.image)) wrong.push(`${unique_id} has loaded other bytes`)
      while ((await report(unique_id, 'installed')) !== 200) if (over.signal.aborted) return
      return
    }
  }
  const set = async (change: string, next: number) => {
    // A step allows more from before it is taken, and a stop less from after it was.
    percent = Math.max(percent, next)
    await server.database.pool.query(`UPDATE firmware_release SET ${change} WHERE id = $1`, [releaseId])
    percent = next
  }
  const all = Promise.all(devices.map(live))
  const installed = (share: number) => until(() => acknowledged.size >= share * DEVICES)
  await installed(0.1)
  const [one] = services
  process.kill(one?.pid ?? 0, 'SIGKILL')
  await one?.exited
  const answeredThen = answered
  await set('step = 2', 60)
  await installed(0.3)
  await set(`state = 'stopped', stop_reason = 'failed', stop_detail = 'a test'`, 0)
  const stoppedAt = answered
  await until(() => answered > stoppedAt + 200)
  over.abort()
  await all
  expect(wrong).toEqual([])
  expect(answered).toBeGreaterThan(answeredThen)
  // Of the others, not one got it after the stop.
  expect(acknowledged.size).toBeLessThan(0.75 * DEVICES)
  const kept = await server.database.pool.query(
    `SELECT d.unique_id FROM device d JOIN device_firmware o ON o.device_id = d.id
     WHERE o.firmware_id = $1 AND o.outcome = 'installed' AND d.now_firmware_id = $1`,
    [own.fields.firmware_id],
  )
  const known = new Set(kept.rows.map(({ unique_id }) => unique_id))
  expect([...acknowledged.keys()].filter((each) => !known.has(each))).toEqual([])
})
