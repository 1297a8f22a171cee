import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { addChild, devlogItem, signUp, upload } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()

let parent: Awaited<ReturnType<typeof signUp>>
let child: Awaited<ReturnType<typeof addChild>>
let device: string
beforeAll(async () => {
  parent = await signUp(server)
})
beforeEach(async () => {
  child = await addChild(server, parent.token)
  device = child.unique_id
})
afterEach(() => void vi.useRealTimers())

type Query = Record<string, string | number>
const history = (query: Query = {}) =>
  server.get('/api/v1/gamma/device/history', { query: { unique_id: device, ...query } })
const treatments = (...dates: string[]) =>
  server.database.pool.query(
    `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id, last_intensity,
       finish_flag, intensity_record)
     SELECT $1, $2, at, 0, n, 7, 1, '{}' FROM unnest($3::timestamp[]) WITH ORDINALITY AS t (at, n)`,
    [child.device_id, child.real_user_id, dates],
  )
const MARCH = { select_mode: 1, year: 2026, select_data: 3 }
const marks = (...dates: string[]) => ({ status: 200, body: dates.map((date) => ({ date, is_devlog: 1 })) })

test('every record counts, however short, temporary or not; each day once, ascending', async () => {
  await upload(server, [
    devlogItem(device, '2026-03-02T21:30:00', { treatment_time: 0 }),
    devlogItem(device, '2026-03-02T23:30:00', { log_file_id: 2 }),
    devlogItem(device, '2026-03-01T00:00:00', { log_file_id: 3, is_temp: true, treatment_time: 5 }),
  ])
  await treatments('2026-03-31T23:59:59.999999', '2026-04-01T00:00:00', '2026-02-28T23:59:59')
  expect(await history(MARCH)).toMatchObject(marks('2026-03-01', '2026-03-02', '2026-03-31'))
})

test('deleted records do not count', async () => {
  await treatments('2026-03-02T21:30:00')
  await server.database.pool.query('UPDATE treatment SET deleted_at = now() WHERE device_id = $1', [
    child.device_id,
  ])
  expect(await history(MARCH)).toMatchObject(marks())
})

test('records for an earlier child count too', async () => {
  await treatments('2026-03-02T21:30:00')
  await server.delete(`/api/v1/beta/device/${child.device_id}`, { token: parent.token })
  expect(await history(MARCH)).toMatchObject(marks('2026-03-02'))
})

test('an unknown device has no days', async () => {
  // A number names none either, not even the id that the service itself gave the device.
  for (const unique_id of [randomUUID(), child.device_id, 0]) {
    expect(await history({ ...MARCH, unique_id })).toMatchObject(marks())
  }
})

test('week, quarter and year; without a choice the current week of the service', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-15T02:00:00Z') })
  await treatments(
    '2026-01-01T20:00',
    '2026-03-07T20:00',
    '2026-03-08T20:00',
    '2026-03-14T20:00',
    '2026-03-15T20:00',
  )
  // In New York it is still Saturday the 14th.
  expect(await history()).toMatchObject(marks('2026-03-08', '2026-03-14'))
  expect(await history({ select_data: 1, year: 2026 })).toMatchObject(marks('2026-01-01'))
  expect(await history({ select_mode: 2, select_data: 2 })).toMatchObject(marks())
  expect((await history({ select_mode: 3 })).body).toHaveLength(5)
  expect(await history({ select_data: 54, year: 2026 })).toMatchObject(marks())
})

test.each<[Query, number, string]>([
  [{ select_mode: 4 }, 400, 'Invalid mode'],
  [{ select_mode: -1 }, 400, 'Invalid mode'],
  [{ select_data: 55 }, 422, 'select_data for mode 0 (week) must be between 0 and 54'],
  [{ select_mode: 1, select_data: 13 }, 422, 'select_data for mode 1 (month) must be between 0 and 12'],
  [{ select_mode: 2, select_data: 5 }, 422, 'select_data for mode 2 (quarter) must be between 0 and 4'],
  [{ year: 10_000 }, 422, 'The year must be between 1 and 9999'],
  [{ select_mode: 3, year: -1 }, 422, 'The year must be between 1 and 9999'],
])('%j is %d', async (query, status, text) => {
  expect(await history(query)).toMatchObject({ status, body: { detail: text } })
})

test.each<Query>([{ unique_id: 'mine' }, { unique_id: '-7' }, { select_mode: 'x' }, { year: '1e3' }])(
  '%j is 422',
  async (query) => {
    expect(await history(query)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['query', Object.keys(query)[0]] }] },
    })
  },
)
