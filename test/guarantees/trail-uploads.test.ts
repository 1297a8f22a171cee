import { beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { deriveKeys } from '@companion/server/auth/keys.ts'
import { openDatabase } from '@companion/server/database/database.ts'
import type { Database } from '@companion/server/database/database.ts'
import { createLogger } from '@companion/server/telemetry/log.ts'
import { trailChain } from '@companion/server/trail/chain.ts'
import { closeBlocks } from '@companion/server/trail/close-blocks.ts'
import { createTrail } from '@companion/server/trail/trail.ts'
import { verifyChain } from '@companion/server/trail/verify-chain.ts'
import { companion } from '../support/command.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { TEST_SECRET, useServer } from '../support/server.ts'

/* Uploads are counted by the day (UTC), and when it is over they are rows of the trail with their place in the chain. */

const server = useServer()
const keys = deriveKeys(TEST_SECRET)
const MANY = 2500

let owner: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeAll(async () => {
  owner = await signUp(server)
})
beforeEach(async () => {
  child = await addChild(server, owner.token)
  await server.trailWritten()
  await closeBlocks(server.database, keys, { even: true })
})

/** The moment from which days are counted, so that a day that ends during a test makes no second row of uploads. */
const now = new Date()

/** As a process counts them: uploads of `count` devices of the child, of which the first is `first`, `days` ago. */
const countUploads = (database: Database, count: number, { first = 1, days = 1 } = {}) =>
  database.pool.query(
    `INSERT INTO trail_upload (at, actor_kind, actor, operation, real_user_id, outcome, times, address_hash, request_id)
     SELECT date_bin('1 day', $5::timestamptz, to_timestamp(0)) - $4 * interval '1 day', 'device', n::text, 'devlogs.upload', $1::int, 'ok',
       1, '\\x01'::bytea, 'request ' || n
     FROM generate_series($2::int, $2 + $3 - 1) n ORDER BY 3
     ON CONFLICT (at, real_user_id, actor_kind, actor, operation, outcome) DO UPDATE SET times = trail_upload.times + 1`,
    [child.real_user_id, first, count, days, now],
  )

const DAY_MS = 86_400_000
/** Lets a whole day pass, and closes blocks. */
async function dayPasses(): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY_MS })
  try {
    await closeBlocks(server.database, keys)
  } finally {
    vi.useRealTimers()
  }
}

const verified = () =>
  server.database.transaction((tx) =>
    verifyChain(tx, trailChain, keys, { keyRing: server.database.keyRing, erasedBefore: new Date() }),
  )

/** What the trail tells of uploads for a child. */
async function told(realUserId = child.real_user_id) {
  const { rows } = await server.database.pool.query(
    `SELECT count(*)::int AS rows, count(block)::int AS closed, coalesce(sum(times), 0)::int AS times, max(place) AS place
     FROM trail WHERE real_user_id = $1 AND operation = 'devlogs.upload'`,
    [realUserId],
  )
  return rows[0]
}

test('those of a day that is over are closed, each device once, and the chain is whole', async () => {
  for (let n = 0; n < 3; n += 1) await countUploads(server.database, MANY)
  const { blocks } = await verified()
  await closeBlocks(server.database, keys)
  expect(await told()).toEqual({ rows: MANY, closed: MANY, times: 3 * MANY, place: 1000 })
  expect(await verified()).toMatchObject({ damage: null, open: 0, blocks: blocks + 3 })
  const { rows } = await server.database.pool.query('SELECT FROM trail_upload')
  expect(rows).toEqual([])
})

test('a device that comes all day has one row, also when the service is stopped and started', async () => {
  const { real_user_id, unique_id } = child
  const trails = Array.from({ length: 3 }, () => createTrail(server.database, createLogger('silent')))
  const origin = { keys, request: { address: '192.0.2.7', id: 'a-request' } }
  const access = { uniqueId: unique_id, operation: 'devlogs.upload', outcome: 'ok', accountId: undefined }
  const now = Date.now()
  onTestFinished(() => void vi.useRealTimers())
  for (const [n, trail] of trails.entries()) {
    vi.useFakeTimers({ toFake: ['Date'], now: now - (now % DAY_MS) + n * 3_600_000 })
    for (let minute = 0; minute < 3; minute += 1) {
      vi.setSystemTime(Date.now() + 60_000)
      trail.noteUpload(origin, { ...access, date: '2026-03-01T21:00:00', logFileId: 1, wearing: undefined })
      await trail.flush()
    }
    await trail.stop()
    // As at an orderly stop.
    await closeBlocks(server.database, keys, { even: true })
  }
  vi.useRealTimers()
  expect(await told()).toMatchObject({ rows: 0 })
  await dayPasses()
  expect(await told()).toMatchObject({ rows: 1, closed: 1, times: 9 })
  const { rows } = await server.database.pool.query(
    `SELECT at::text = date_bin('1 day', at, to_timestamp(0))::text AS is_day, address_hash IS NOT NULL AS has_address, request_id
     FROM trail WHERE real_user_id = $1 AND operation = 'devlogs.upload'`,
    [real_user_id],
  )
  expect(rows).toEqual([{ is_day: true, has_address: true, request_id: 'a-request' }])
})

test('those of today can be read, in their order', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now })
  onTestFinished(() => void vi.useRealTimers())
  const id = String(child.real_user_id)
  const lines = async () =>
    (await companion(server, 'trail', 'export', '--child', id)).out.trim().split('\n').slice(1)
  const uploadsOf = (found: readonly string[]) =>
    found.filter((line) => /,device,\d,devlogs.upload,\d+,ok,1,01,request \d,$/.test(line))
  await countUploads(server.database, 3, { days: 0 })
  await countUploads(server.database, 3)
  const found = await lines()
  const dates = found.map((line) => line.slice(0, 24))
  expect(dates).toEqual(dates.toSorted())
  expect(uploadsOf(found)).toHaveLength(6)
  await closeBlocks(server.database, keys)
  expect(await told()).toMatchObject({ rows: 3, closed: 3 })
  expect(uploadsOf(await lines())).toEqual(uploadsOf(found))
})

test('processes that count and close at once lose none and double none', async () => {
  const others: Database[] = []
  onTestFinished(async () => void (await Promise.all(others.map((each) => each.close()))))
  for (let n = 0; n < 4; n += 1) others.push(await openDatabase(server.databaseUrl, { pool: 2 }))
  await Promise.all(
    others.map(async (database, process) => {
      for (let n = 0; n < 10; n += 1) {
        await countUploads(database, 50, { first: process % 2 === 0 ? 1 : 20 })
        await closeBlocks(database, keys)
      }
    }),
  )
  await closeBlocks(server.database, keys)
  expect((await told()).times).toBe(4 * 10 * 50)
  expect(await verified()).toMatchObject({ damage: null, open: 0 })
})

test('an upload belongs to who wore the device then, also when another child wears it before it is told', async () => {
  const { database } = server
  const next = await addChild(server, owner.token)
  const { device_id, serial_code, mac_id, unique_id } = child
  const longAgo = () =>
    database.pool.query(`UPDATE device SET connected_at = now() - interval '1 day' WHERE id = $1`, [
      device_id,
    ])
  const night = devlogItem(unique_id, '2026-03-01T21:00:00')
  await longAgo()
  await upload(server, [night])
  const { token } = owner
  await server.delete(`/api/v1/beta/device/${device_id}`, { token })
  const json = { real_user_id: next.real_user_id, serial_code, mac_id, unique_id }
  expect((await server.post('/api/v1/beta/device', { token, json })).status).toBe(200)
  await server.trailWritten()
  expect(await told()).toMatchObject({ rows: 1 })
  expect(await told(next.real_user_id)).toMatchObject({ rows: 0 })

  // The same record again is that of the first child, however long the other one has worn the device.
  await longAgo()
  await upload(server, [night])
  await server.trailWritten()
  expect(await told(next.real_user_id)).toMatchObject({ rows: 0 })
  await upload(server, [devlogItem(unique_id, '2026-03-02T21:00:00', { log_file_id: 2 })])
  await server.trailWritten()
  expect(await told(next.real_user_id)).toMatchObject({ rows: 1, times: 1 })
  expect(await told()).toMatchObject({ times: 2 })
})

test('how often each came again is told, also when so many wait as may', async () => {
  const { database } = server
  const lines: unknown[] = []
  const log = createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line)) })
  const trail = createTrail(database, log, { delayMs: 3_600_000, mostRows: 2, minuteMs: 3_600_000 })
  const origin = { keys, request: { address: '192.0.2.7', id: 'a-request' } }
  const other = await addChild(server, owner.token)
  for (let n = 0; n < 3; n += 1)
    for (const { unique_id: uniqueId } of [child, other]) {
      const record = { date: '2026-03-01T21:00:00', logFileId: 1, wearing: undefined }
      const access = { uniqueId, operation: 'devlogs.upload', outcome: 'ok', accountId: undefined }
      trail.noteUpload(origin, { ...access, ...record })
    }
  await trail.stop()
  await server.trailWritten()
  for (const { real_user_id } of [child, other])
    expect(await told(real_user_id)).toMatchObject({ rows: 1, times: 3 })
  expect(lines).toEqual([])
})

test('a new record is told for the child who wore the device, though record and wearer are gone before', async () => {
  const { token } = owner
  const next = await addChild(server, token)
  const { device_id, serial_code, mac_id, unique_id } = child
  await upload(server, [devlogItem(unique_id, '2026-03-01T21:00:00')])
  const gone = `unique_id=${unique_id}&start_date=2026-03-01&end_date=2026-03-01`
  expect((await server.delete(`/api/v1/gamma/device/devlog?${gone}`, { token })).status).toBe(200)
  await server.delete(`/api/v1/beta/device/${device_id}`, { token })
  const json = { real_user_id: next.real_user_id, serial_code, mac_id, unique_id }
  expect((await server.post('/api/v1/beta/device', { token, json })).status).toBe(200)
  await server.trailWritten()
  expect(await told()).toMatchObject({ times: 1 })
  expect(await told(next.real_user_id)).toMatchObject({ rows: 0 })
})
