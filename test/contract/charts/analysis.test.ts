import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { errorsByState, stateErrors } from '../../support/account-states.ts'
import { addChild, devlogItem, signIn, signUp, upload } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import {
  connectBasestation,
  disconnectBasestation,
  reading,
  uploadReadings,
} from '../../support/basestations.ts'
import { startServer, useServer } from '../../support/server.ts'

const server = useServer()
const PATH = '/api/v1/beta/chart/analysis'

let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
let station: Awaited<ReturnType<typeof connectBasestation>>
beforeEach(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
  station = await connectBasestation(server, parent.token)
})
afterEach(() => void vi.useRealTimers())

const chart = (query: Record<string, string | number> = {}, token = parent.token) =>
  server.get(PATH, { token, query: { real_user_id: child.real_user_id, ...query } })

const WEEK = ['17', '18', '19', '20', '21', '22', '23'].map((day) => `2026-03-${day}`)
/** The week with `values` on some of its dates, by day of the month, and `otherwise` on the rest. */
const week = (field: string, values: Record<string, number> = {}) =>
  WEEK.map((treatment_date) => ({ treatment_date, [field]: values[treatment_date.slice(8)] ?? 0 }))
const NOTHING = { temperature: 0, humidity: 0, brightness: 0, noise: 0 }
const sleep = (values: Record<string, object> = {}) =>
  WEEK.map((date) => ({ date, ...NOTHING, ...values[date.slice(8)] }))

const send = async (...items: ReturnType<typeof reading>[]) =>
  expect(await uploadReadings(server, items)).toMatchObject({ status: 200 })
const measure = (measured_at: string, values?: Parameters<typeof reading>[2]) =>
  send(reading(station.unique_id, measured_at, values))

test('every date of the window is present; averages are over the dates that have data', async () => {
  await upload(server, [
    devlogItem(child.unique_id, '2026-03-18T21:00:00', {
      treatment_time: 100,
      intensities: [12],
      movement: 4,
    }),
    devlogItem(child.unique_id, '2026-03-18T23:00:00', {
      treatment_time: 50,
      intensities: [13],
      movement: 1,
    }),
    devlogItem(child.unique_id, '2026-03-23T01:00:00', { treatment_time: 0, intensities: [0] }),
  ])
  await measure('2026-03-18T03:00:00', { temperature: 20.5, humidity: 40, brightness: 10, noise: 31 })
  const { status, body } = await chart({ current_date: '2026-03-23' })
  expect(status).toBe(200)
  expect(body).toEqual({
    treatment_time_data: week('treatment_time', { 18: 150 }),
    treatment_intensity_data: week('last_intensity', { 18: 12.5 }),
    movement_data: week('movement', { 18: 5 }),
    avg_treatment_time: 75,
    avg_treatment_intensity: 6.25,
    avg_movement: 2.5,
    sleep_env_data: sleep({ 18: { temperature: 20.5, humidity: 40, brightness: 10, noise: 31 } }),
  })
})

test('without any data, every value and average is 0', async () => {
  expect((await chart({ current_date: '2026-03-23' })).body).toEqual({
    treatment_time_data: week('treatment_time'),
    treatment_intensity_data: week('last_intensity'),
    movement_data: week('movement'),
    avg_treatment_time: 0,
    avg_treatment_intensity: 0,
    avg_movement: 0,
    sleep_env_data: sleep(),
  })
})

describe('the sleep environment', () => {
  test.each([
    [[21.2, 21.3], 21.3],
    [[21.24], 21.2],
    [[21.25], 21.3],
    [[-0.25], -0.3],
    [[-0.2, -0.3], -0.3],
    [[20, 20, 21], 20.3],
    [[0.1, 0.2], 0.2],
    [[-10, 10], 0],
  ])('has the mean of temperatures %j as %d', async (temperatures, expected) => {
    const at = (n: number) => `2026-03-20T00:00:${String(n).padStart(2, '0')}`
    await send(...temperatures.map((temperature, n) => reading(station.unique_id, at(n), { temperature })))
    const { body } = await chart({ current_date: '2026-03-20' })
    expect(body.sleep_env_data.at(-1)).toMatchObject({ date: '2026-03-20', temperature: expected })
  })

  test.each([
    [21.2, 21.3, 21.3],
    [-0.1, -0.2, -0.2],
    [33.31, 33.39, 33.4],
  ])('has the mean of a day of %d and %d by turns as %d', async (even, odd, expected) => {
    await send(
      ...Array.from({ length: 720 }, (_, n) =>
        reading(station.unique_id, new Date(Date.UTC(2026, 2, 20, 0, 2 * n)).toISOString().slice(0, 19), {
          temperature: n % 2 ? odd : even,
        }),
      ),
    )
    const { body } = await chart({ current_date: '2026-03-20' })
    expect(body.sleep_env_data.at(-1).temperature).toBe(expected)
  })

  test('has humidity to one decimal, brightness and noise to integers, halves away from zero', async () => {
    await measure('2026-03-20T00:00:00', { humidity: 40.1, brightness: 1, noise: 30 })
    await measure('2026-03-20T23:59:59.999999', { humidity: 40.2, brightness: 2, noise: 31 })
    await measure('2026-03-21T12:00:00', { humidity: 40, brightness: 1, noise: 2 })
    await measure('2026-03-21T13:00:00', { humidity: 40, brightness: 1, noise: 2 })
    await measure('2026-03-21T14:00:00', { humidity: 41, brightness: 2, noise: 3 })
    const { body } = await chart({ current_date: '2026-03-23' })
    expect(body.sleep_env_data).toEqual(
      sleep({
        20: { temperature: 21.5, humidity: 40.2, brightness: 2, noise: 31 },
        21: { temperature: 21.5, humidity: 40.3, brightness: 1, noise: 2 },
      }),
    )
  })

  test('takes the first and last day of the window whole', async () => {
    for (const [at, noise] of [
      ['2026-03-16T23:59:59.999999', 1],
      ['2026-03-17T00:00:00', 2],
      ['2026-03-23T23:59:59.999999', 3],
      ['2026-03-24T00:00:00', 4],
    ] as const) {
      await measure(at, { noise })
    }
    const { body } = await chart({ current_date: '2026-03-23' })
    expect(body.sleep_env_data.map(({ noise }: { noise: number }) => noise)).toEqual([2, 0, 0, 0, 0, 0, 3])
  })

  test('is that of the base station which was connected first, of those connected now', async () => {
    const second = await connectBasestation(server, parent.token)
    await measure('2026-03-20T00:00:00', { noise: 1 })
    await send(reading(second.unique_id, '2026-03-20T00:00:00', { noise: 2 }))
    const noise = async () => (await chart({ current_date: '2026-03-20' })).body.sleep_env_data.at(-1).noise
    expect(await noise()).toBe(1)
    await disconnectBasestation(server, parent.token, station.basestation_id)
    expect(await noise()).toBe(2)
    await connectBasestation(server, parent.token, station)
    expect(await noise()).toBe(2)
    await disconnectBasestation(server, parent.token, second.basestation_id)
    expect(await noise()).toBe(1)
  })

  test('stays with the account that was connected when it was measured', async () => {
    await measure('2026-03-20T00:00:00', { noise: 1 })
    await disconnectBasestation(server, parent.token, station.basestation_id)
    const next = await signUp(server)
    const other = await addChild(server, next.token)
    await connectBasestation(server, next.token, station)
    await measure('2026-03-20T01:00:00', { noise: 9 })
    // A reading of the former owner that is sent again is not the next one's.
    await measure('2026-03-20T00:00:00', { noise: 1 })
    const noise = ({ body }: Awaited<ReturnType<typeof chart>>) => body.sleep_env_data.at(-1).noise
    const query = { current_date: '2026-03-20' }
    expect(noise(await chart({ ...query, real_user_id: other.real_user_id }, next.token))).toBe(9)
    await disconnectBasestation(server, next.token, station.basestation_id)
    await connectBasestation(server, parent.token, station)
    expect(noise(await chart(query))).toBe(1)
  })
})

test('a month has 30 days, and a window without date ends with the today of New York', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-02T04:30:00Z') })
  const token = (await signIn(server, parent.email)).body.access_token
  const { body } = await chart({ select_mode: 1 }, token)
  expect(body.treatment_time_data).toHaveLength(30)
  expect(body.treatment_time_data[0].treatment_date).toBe('2026-01-31')
  expect(body.treatment_time_data.at(-1).treatment_date).toBe('2026-03-01')
  expect(body.sleep_env_data.map(({ date }: { date: string }) => date)).toEqual(
    body.treatment_time_data.map(({ treatment_date }: { treatment_date: string }) => treatment_date),
  )
})

test('the today is that of the configured time zone', async () => {
  const seoul = await startServer({ SERVICE_TIME_ZONE: 'Asia/Seoul' })
  try {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-06-14T15:30:00Z') })
    const { token } = await signUp(seoul)
    const { real_user_id } = await addChild(seoul, token)
    await connectBasestation(seoul, token)
    const { body } = await seoul.get(PATH, { token, query: { real_user_id } })
    expect(body.sleep_env_data.at(-1).date).toBe('2026-06-15')
  } finally {
    await seoul.stop()
  }
})

test.each([
  ['0001-01-03', 0, ['0001-01-01', '0001-01-02', '0001-01-03']],
  ['9999-12-31', 0, ['25', '26', '27', '28', '29', '30', '31'].map((day) => `9999-12-${day}`)],
  [
    '2024-03-02',
    0,
    ['2024-02-25', '2024-02-26', '2024-02-27', '2024-02-28', '2024-02-29', '2024-03-01', '2024-03-02'],
  ],
])('the window that ends at %s', async (current_date, select_mode, dates) => {
  const { body } = await chart({ current_date, select_mode })
  expect(body.sleep_env_data.map(({ date }: { date: string }) => date)).toEqual(dates)
})

describe('errors', () => {
  const notOwn = { status: 401, body: { detail: 'Not authorized user' } }

  test('no base station ever, and none any more', async () => {
    const other = await signUp(server)
    const { real_user_id } = await addChild(server, other.token)
    expect(await chart({ real_user_id }, other.token)).toMatchObject({
      status: 403,
      body: { detail: 'Device not found' },
    })
    await disconnectBasestation(server, parent.token, station.basestation_id)
    expect(await chart()).toMatchObject({
      status: 404,
      body: { detail: 'This device does not belong to the user' },
    })
    // The present wearer makes no difference.
    await connectBasestation(server, other.token, station)
    expect(await chart()).toMatchObject({ status: 404 })
    expect(await chart({ real_user_id }, other.token)).toMatchObject({ status: 200 })
  })

  test("an absent child, a deleted one and another family's, before the base station", async () => {
    const stranger = await signUp(server)
    expect(await chart({}, stranger.token)).toMatchObject(notOwn)
    expect(await chart({ real_user_id: 2 ** 31 - 1 })).toMatchObject(notOwn)
    await server.database.pool.query('UPDATE real_user SET deleted_at = now() WHERE id = $1', [
      child.real_user_id,
    ])
    expect(await chart()).toMatchObject(notOwn)
  })

  test.each([2, -1, 99_999_999_999])('mode %i, before the child', async (select_mode) => {
    expect(await chart({ select_mode, real_user_id: 2 ** 31 - 1 })).toMatchObject({
      status: 400,
      body: { detail: 'Invalid mode. Use 0 for recent 7 days or 1 for recent 30 days' },
    })
  })

  test.each([
    ['current_date', '2026-02-29'],
    ['current_date', '20260301'],
    ['select_mode', 'x'],
  ])('%s %j', async (field, value) => {
    const { status, body } = await chart({ [field]: value })
    expect(status).toBe(422)
    expect(body.detail).toMatchObject([{ loc: ['query', field] }])
  })

  test('tokens and accounts', async () => {
    const said = await errorsByState(server, parent, (token) => chart({}, token))
    expect(said).toEqual(stateErrors)
  })
})
