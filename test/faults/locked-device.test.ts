import { beforeEach, expect, test } from 'vitest'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { somebodyWaits } from '../support/lock-waits.ts'
import { useServer } from '../support/server.ts'
import { tally } from '../support/response-tally.ts'
import { until } from '../support/until.ts'

/* A device that somebody holds, for however long, costs nobody else anything. */

const server = useServer({ DATABASE_POOL: '12' })

let held: Account
let device: string
let other: Account
let otherDevice: string
beforeEach(async () => {
  held = await signUp(server)
  device = (await addChild(server, held.token)).unique_id
  other = await signUp(server)
  otherDevice = (await addChild(server, other.token)).unique_id
})

/** Runs `work` while another session holds the device. */
async function whileHeld<Result>(unique_id: string, work: () => Promise<Result>): Promise<Result> {
  const holder = await server.database.pool.connect()
  try {
    await holder.query('BEGIN')
    await holder.query('SELECT FROM device WHERE unique_id = $1 FOR NO KEY UPDATE', [unique_id])
    return await work()
  } finally {
    await holder.query('ROLLBACK')
    holder.release()
  }
}

/** Waits for the first `count` of `calls` to be answered. */
async function firstOf<Output>(count: number, calls: readonly Promise<Output>[]): Promise<Output[]> {
  const responses: Output[] = []
  for (const call of calls) void call.then((response) => responses.push(response))
  await until(() => responses.length >= count)
  return responses
}

const night = (unique_id: string, n: number, more: object = {}) =>
  devlogItem(unique_id, `2026-03-01T21:00:${String(n).padStart(2, '0')}`, { log_file_id: n, ...more })

test.each([
  ['complete records', {}, {}],
  ['temporary records', { is_temp: true }, {}],
  ['lenient uploads', {}, { prefer: 'handling=lenient' }],
])('of many %s two wait, the others are to come back in a second', async (_what, more, headers) => {
  let uploads: ReturnType<typeof upload>[] = []
  await whileHeld(device, async () => {
    uploads = Array.from({ length: 15 }, (_, n) => upload(server, [night(device, n, more)], headers))
    await somebodyWaits(server.database, 2)
    for (const refused of await firstOf(13, uploads)) {
      expect(refused).toMatchObject({ status: 429, body: { detail: 'Too many requests' } })
      expect(refused.headers.get('retry-after')).toBe('1')
    }
    const others = await Promise.all([
      server.get('/api/v1/beta/user/me', { token: other.token }),
      upload(server, [night(otherDevice, 1)]),
      upload(server, [night(otherDevice, 2, { is_temp: true })]),
      server.delete('/api/v1/gamma/device/devlog', { query: { unique_id: otherDevice } }),
    ])
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200, expect.any(Number)])
    expect(await somebodyWaits(server.database, 2)).toBe(2)
  })
  expect(tally(await Promise.all(uploads))).toEqual({ 200: 2, '429 Too many requests': 13 })
})

test('many deletions of it take two connections, and so do uploads and deletions together', async () => {
  let calls: Promise<{ status: number }>[] = []
  await whileHeld(device, async () => {
    calls = [
      ...Array.from({ length: 8 }, () =>
        server.delete('/api/v1/gamma/device/devlog', { query: { unique_id: device } }),
      ),
      ...Array.from({ length: 8 }, (_, n) => upload(server, [night(device, n, { is_temp: true })])),
    ]
    expect(await somebodyWaits(server.database, 2)).toBe(2)
    expect((await firstOf(14, calls)).map(({ status }) => status)).toEqual(Array(14).fill(429))
    expect((await server.get('/api/v1/beta/user/me', { token: other.token })).status).toBe(200)
  })
  expect((await Promise.all(calls)).filter(({ status }) => status === 429)).toHaveLength(14)
})

test('many held devices keep a quarter of the connections and no more', async () => {
  const children = await Promise.all(Array.from({ length: 6 }, () => addChild(server, held.token)))
  const holder = await server.database.pool.connect()
  await holder.query('BEGIN')
  await holder.query('SELECT FROM device WHERE unique_id = ANY ($1) FOR NO KEY UPDATE', [
    children.map(({ unique_id }) => unique_id),
  ])
  const uploads = children.map(({ unique_id }) => upload(server, [night(unique_id, 1, { is_temp: true })]))
  expect(await somebodyWaits(server.database, 3)).toBe(3)
  expect((await server.get('/api/v1/beta/user/me', { token: other.token })).status).toBe(200)
  // The others have no connection to wait with, and are to come back.
  expect(tally(await firstOf(3, uploads))).toEqual({ '429 Too many requests': 3 })
  await holder.query('ROLLBACK')
  holder.release()
  expect(tally(await Promise.all(uploads))).toEqual({ 200: 3, '429 Too many requests': 3 })
})

test('the later steps of many deletions keep a quarter of the connections and no more', async () => {
  const { pool } = server.database
  const children = await Promise.all(Array.from({ length: 4 }, () => addChild(server, held.token)))
  for (const { device_id, real_user_id } of children)
    await pool.query(
      `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id, last_intensity,
         finish_flag, intensity_record)
       SELECT $1, $2, timestamp '2025-01-01' + n * interval '1 minute', 0, n, 7, 1, '{}' FROM generate_series(1, 5001) n`,
      [device_id, real_user_id],
    )
  // Each deletion waits in its first step for a record. Behind them a session waits for the table, so that no second step
  // can come before it: the lock of a row goes to the one who asks first when it comes free, not to the one who waits.
  const records = await pool.connect()
  await records.query('BEGIN')
  for (const { device_id } of children)
    await records.query('SELECT FROM treatment WHERE device_id = $1 AND log_file_id = 1 FOR UPDATE', [
      device_id,
    ])
  const deletions = children.map(({ unique_id }) =>
    server.delete('/api/v1/gamma/device/devlog', { query: { unique_id } }),
  )
  await somebodyWaits(server.database, 4)
  const holder = await pool.connect()
  await holder.query('BEGIN')
  const locked = holder.query('LOCK TABLE device IN EXCLUSIVE MODE')
  await somebodyWaits(server.database, 5)
  await records.query('ROLLBACK')
  records.release()
  await locked
  expect(await somebodyWaits(server.database, 3)).toBe(3)
  expect((await server.get('/api/v1/beta/user/me', { token: other.token })).status).toBe(200)
  expect(await somebodyWaits(server.database, 3)).toBe(3)
  await holder.query('ROLLBACK')
  holder.release()
  for (const { body } of await Promise.all(deletions)) expect(body.message).toBe('Deleted 5001 device logs')
})
