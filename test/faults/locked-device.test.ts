import { beforeEach, expect, test } from 'vitest'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { somebodyWaits } from '../support/lock.ts'
import { useServer } from '../support/server.ts'
import { tally } from '../support/tally.ts'

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

const night = (unique_id: string, n: number, more: object = {}) =>
  devlogItem(unique_id, `2026-03-01T21:00:${String(n).padStart(2, '0')}`, { log_file_id: n, ...more })

test.each([
  ['temporary records', { is_temp: true }, {}],
  ['lenient uploads', {}, { prefer: 'handling=lenient' }],
])('of many %s two wait, the others are to come back in a second', async (_what, more, headers) => {
  let uploads: ReturnType<typeof upload>[] = []
  await whileHeld(device, async () => {
    uploads = Array.from({ length: 15 }, (_, n) => upload(server, [night(device, n, more)], headers))
    await somebodyWaits(server.database, 2)
    const refused = await Promise.race([...uploads])
    expect(refused).toMatchObject({ status: 429, body: { detail: 'Too many requests' } })
    expect(refused.headers.get('retry-after')).toBe('1')
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
    expect((await server.get('/api/v1/beta/user/me', { token: other.token })).status).toBe(200)
  })
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 429)).toHaveLength(14)
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
  expect(await Promise.race(uploads)).toMatchObject({ status: 429 })
  await holder.query('ROLLBACK')
  holder.release()
  expect(tally(await Promise.all(uploads))).toEqual({ 200: 3, '429 Too many requests': 3 })
})
