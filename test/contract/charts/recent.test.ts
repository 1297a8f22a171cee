import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { addChild, devlogItem, signUp, upload } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { startServer, useServer } from '../../support/server.ts'

const server = useServer()
const PATH = '/api/v1/beta/chart/recent'
const EMPTY = {
  treatment_time_data: [],
  treatment_intensity_data: [],
  movement_data: [],
  avg_treatment_time: 0,
  avg_treatment_intensity: 0,
  avg_movement: 0,
}

let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeAll(async () => {
  parent = await signUp(server)
})
beforeEach(async () => {
  child = await addChild(server, parent.token)
})
afterEach(() => void vi.useRealTimers())

const chart = (query: Record<string, string | number>, token = parent.token) =>
  server.get(PATH, { token, query: { real_user_id: child.real_user_id, ...query } })

type Session = [start: string, seconds: number, intensity: number, movement?: number, is_temp?: boolean]

const record = async (...sessions: Session[]) => {
  const items = sessions.map(([start, treatment_time, last_intensity, movement = 0, is_temp = false], n) =>
    devlogItem(child.unique_id, start, {
      log_file_id: n + 1,
      treatment_time,
      last_intensity,
      movement,
      is_temp,
    }),
  )
  const { status, body } = await upload(server, items)
  expect({ status, body }).toMatchObject({ status: 200 })
}

const datesOf = (body: { treatment_time_data: { treatment_date: string }[] }) =>
  body.treatment_time_data.map(({ treatment_date }) => treatment_date)

test('several sessions of a date are summed, their last intensities averaged', async () => {
  await record(
    ['2026-03-21T23:10:00', 1000, 12, 5],
    ['2026-03-21T00:10:00', 500, 13, 7],
    ['2026-03-22T21:00:00', 3601, 20, 1],
    ['2026-03-23T21:00:00', 60, 7, 0, true],
    ['2026-03-23T22:00:00', 0, 0, 0],
    ['2026-03-23T23:00:00', 1, 3, 2],
  )
  const { status, body } = await chart({ select_mode: 0, current_date: '2026-03-23' })
  expect(status).toBe(200)
  expect(body).toEqual({
    treatment_time_data: [
      { treatment_date: '2026-03-21', treatment_time: 1500 },
      { treatment_date: '2026-03-22', treatment_time: 3601 },
      { treatment_date: '2026-03-23', treatment_time: 61 },
    ],
    treatment_intensity_data: [
      { treatment_date: '2026-03-21', last_intensity: 12.5 },
      { treatment_date: '2026-03-22', last_intensity: 20 },
      { treatment_date: '2026-03-23', last_intensity: 3.3 },
    ],
    movement_data: [
      { treatment_date: '2026-03-21', movement: 12 },
      { treatment_date: '2026-03-22', movement: 1 },
      { treatment_date: '2026-03-23', movement: 2 },
    ],
    avg_treatment_time: 5162 / 3,
    avg_treatment_intensity: expect.closeTo((12.5 + 20 + 3.3) / 3, 10),
    avg_movement: 5,
  })
})

test.each([
  [[12, 12, 12, 13], 12.3],
  [[12, 13, 13, 13], 12.8],
  [[0, 0, 0, 1], 0.3],
  [[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 0.1],
  [[32_767, 32_766, 32_766, 32_766], 32_766.3],
  [[1, 1, 2], 1.3],
  [[1, 2, 2], 1.7],
  [[8], 8],
])('the mean of %j is %d', async (intensities, expected) => {
  await record(
    ...intensities.map((intensity, n): Session => [
      `2026-03-21T20:00:${String(n).padStart(2, '0')}`,
      60,
      intensity,
    ]),
  )
  const { body } = await chart({ current_date: '2026-03-21' })
  expect(body.treatment_intensity_data).toEqual([{ treatment_date: '2026-03-21', last_intensity: expected }])
  expect(body.avg_treatment_intensity).toBe(expected)
})

test('averages are plain means of the values shown, unrounded', async () => {
  await record(
    ['2026-03-20T20:00:00', 10, 12],
    ['2026-03-20T21:00:00', 11, 12],
    ['2026-03-20T22:00:00', 11, 12],
    ['2026-03-20T23:00:00', 1, 13],
    ['2026-03-21T20:00:00', 10, 20, 1],
    ['2026-03-22T20:00:00', 11, 20],
  )
  const { body } = await chart({ current_date: '2026-03-22' })
  expect(body.avg_treatment_time).toBe((33 + 10 + 11) / 3)
  expect(body.avg_treatment_intensity).toBe((12.3 + 20 + 20) / 3)
  expect(body.avg_movement).toBe(1 / 3)
})

test('sums may exceed 32 bits', async () => {
  await server.database.pool.query(
    `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, movement, log_file_id,
       last_intensity, finish_flag, intensity_record)
     SELECT $1, $2, '2026-03-21', 86400, 2147483647, n, 1, 1, '{}' FROM generate_series(1, 25000) n`,
    [child.device_id, child.real_user_id],
  )
  const { status, body } = await chart({ current_date: '2026-03-21' })
  expect(status).toBe(200)
  expect(body).toMatchObject({ avg_treatment_time: 86_400 * 25_000, avg_movement: 2_147_483_647 * 25_000 })
})

describe('the window', () => {
  const days = (...dates: string[]) => record(...dates.map((date): Session => [`${date}T12:00:00`, 60, 1]))

  test.each([
    [0, '2026-03-23', ['2026-03-16'], ['2026-03-17', '2026-03-23'], ['2026-03-24']],
    [1, '2026-03-30', ['2026-02-28'], ['2026-03-01', '2026-03-30'], ['2026-03-31']],
    [1, '2026-03-01', ['2026-01-30'], ['2026-01-31', '2026-02-28', '2026-03-01'], ['2026-03-02']],
    [
      0,
      '2024-03-02',
      ['2024-02-24'],
      ['2024-02-25', '2024-02-28', '2024-02-29', '2024-03-01', '2024-03-02'],
      ['2024-03-03'],
    ],
    [1, '2024-02-29', ['2024-01-30'], ['2024-01-31', '2024-02-29'], ['2024-03-01']],
    [
      0,
      '2026-01-03',
      ['2025-12-27'],
      ['2025-12-28', '2025-12-31', '2026-01-01', '2026-01-03'],
      ['2026-01-04'],
    ],
    [1, '2026-01-01', ['2025-12-02'], ['2025-12-03', '2025-12-31', '2026-01-01'], ['2026-01-02']],
    [0, '2026-03-14', ['2026-03-07'], ['2026-03-08', '2026-03-14'], ['2026-03-15']],
    [0, '2025-11-08', ['2025-11-01'], ['2025-11-02', '2025-11-08'], ['2025-11-09']],
  ])('of mode %i that ends at %s', async (select_mode, current_date, before, within, after) => {
    await days(...before, ...within, ...after)
    const { body } = await chart({ select_mode, current_date })
    expect(datesOf(body)).toEqual(within)
  })

  test('takes its first and last day whole', async () => {
    await record(
      ['2026-03-16T23:59:59.999999', 1, 1],
      ['2026-03-17T00:00:00', 2, 1],
      ['2026-03-23T23:59:59.999999', 4, 1],
      ['2026-03-24T00:00:00', 8, 1],
    )
    const { body } = await chart({ current_date: '2026-03-23' })
    expect(body.treatment_time_data).toEqual([
      { treatment_date: '2026-03-17', treatment_time: 2 },
      { treatment_date: '2026-03-23', treatment_time: 4 },
    ])
  })

  test('has every hour of the days on which New York changes its clocks', async () => {
    const hours = (date: string) =>
      Array.from({ length: 24 }, (_, hour): Session => [
        `${date}T${String(hour).padStart(2, '0')}:30:00`,
        1,
        1,
      ])
    await record(...hours('2026-03-08'), ...hours('2025-11-02'))
    for (const date of ['2026-03-08', '2025-11-02']) {
      const { body } = await chart({ current_date: date })
      expect(body.treatment_time_data).toEqual([{ treatment_date: date, treatment_time: 24 }])
    }
  })

  test('is weekly unless something else is asked for', async () => {
    await days('2026-03-16', '2026-03-17')
    expect(datesOf((await chart({ current_date: '2026-03-23' })).body)).toEqual(['2026-03-17'])
    expect(datesOf((await chart({ current_date: '2026-03-23', select_mode: '01' })).body)).toEqual([
      '2026-03-16',
      '2026-03-17',
    ])
  })

  test.each(['0001-01-01', '9999-12-31', '2026-03-15'])('may be empty: %s', async (current_date) => {
    await days('2026-03-16')
    for (const select_mode of [0, 1]) {
      const { status, body } = await chart({ current_date, select_mode })
      expect(status).toBe(200)
      expect(body).toEqual(EMPTY)
    }
  })

  test.each([
    ['2026-06-15T03:30:00Z', '2026-06-14'], // 23:30 in New York
    ['2026-06-15T04:30:00Z', '2026-06-15'], // 00:30
    ['2026-01-01T04:30:00Z', '2025-12-31'], // 23:30, in winter
    ['2026-01-01T05:30:00Z', '2026-01-01'], // 00:30
  ])('at %s ends with %s when no date is sent', async (now, last) => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) })
    const session = await server.post('/api/v1/alpha/auth/email/signin', {
      form: { username: parent.email, password: 'correct horse battery' },
    })
    const at = new Date(`${last}T12:00:00Z`)
    const shifted = (by: number) => new Date(at.getTime() + by * 86_400_000).toISOString().slice(0, 10)
    await days(shifted(-7), shifted(-6), last, shifted(1))
    const { body } = await chart({}, session.body.access_token)
    expect(datesOf(body)).toEqual([shifted(-6), last])
  })

  test('ends with the today of the configured time zone', async () => {
    const seoul = await startServer({ SERVICE_TIME_ZONE: 'Asia/Seoul' })
    try {
      vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-06-14T15:30:00Z') })
      const { token } = await signUp(seoul)
      const own = await addChild(seoul, token)
      await upload(seoul, [devlogItem(own.unique_id, '2026-06-15T00:10:00')])
      const { body } = await seoul.get(PATH, { token, query: { real_user_id: own.real_user_id } })
      expect(datesOf(body)).toEqual(['2026-06-15'])
    } finally {
      await seoul.stop()
    }
  })
})

test('deleted treatments are gone', async () => {
  await record(
    ['2026-03-20T20:00:00', 100, 10],
    ['2026-03-21T20:00:00', 100, 10],
    ['2026-03-21T21:00:00', 300, 30],
  )
  await server.database.pool.query(
    `UPDATE treatment SET deleted_at = now() WHERE device_id = $1 AND log_file_id IN (1, 3)`,
    [child.device_id],
  )
  const { body } = await chart({ current_date: '2026-03-23' })
  expect(body).toMatchObject({
    treatment_time_data: [{ treatment_date: '2026-03-21', treatment_time: 100 }],
    treatment_intensity_data: [{ last_intensity: 10 }],
    avg_treatment_time: 100,
  })
})

test("a child's chart follows the child, not the device", async () => {
  await record(['2026-03-20T20:00:00', 100, 10])
  const second = await addChild(server, parent.token)
  await server.database.pool.query('UPDATE device SET real_user_id = $1 WHERE id = $2', [
    second.real_user_id,
    child.device_id,
  ])
  await record(['2026-03-20T20:00:00', 100, 10], ['2026-03-21T20:00:00', 200, 20])
  expect((await chart({ current_date: '2026-03-21' })).body.treatment_time_data).toEqual([
    { treatment_date: '2026-03-20', treatment_time: 100 },
  ])
  expect(
    (await chart({ current_date: '2026-03-21', real_user_id: second.real_user_id })).body.treatment_time_data,
  ).toEqual([{ treatment_date: '2026-03-21', treatment_time: 200 }])
})

describe('errors', () => {
  const notOwn = { status: 401, body: { detail: 'Not authorized user' } }
  const mode = {
    status: 400,
    body: { detail: 'Invalid mode. Use 0 for recent 7 days or 1 for recent 30 days' },
  }

  test('a child of another family, an absent one, and a deleted one', async () => {
    const stranger = await signUp(server)
    await record(['2026-03-20T20:00:00', 100, 10])
    expect(await chart({}, stranger.token)).toMatchObject(notOwn)
    for (const real_user_id of [2 ** 31 - 1, 0, -1])
      expect(await chart({ real_user_id })).toMatchObject(notOwn)
    await server.database.pool.query('UPDATE real_user SET deleted_at = now() WHERE id = $1', [
      child.real_user_id,
    ])
    expect(await chart({})).toMatchObject(notOwn)
  })

  test.each([2, 3, -1, 7, 30, 2 ** 31 - 1])('mode %i, which comes before the child', async (select_mode) => {
    expect(await chart({ select_mode })).toMatchObject(mode)
    expect(await chart({ select_mode, real_user_id: 2 ** 31 - 1 })).toMatchObject(mode)
  })

  test('the token comes before the mode, and the account too', async () => {
    expect(
      await server.get(PATH, { query: { real_user_id: child.real_user_id, select_mode: 2 } }),
    ).toMatchObject({
      status: 401,
      body: { detail: 'Could not validate credentials' },
    })
    const account = await signUp(server)
    for (const [columns, status, detail] of [
      ['token_epoch = token_epoch + 1', 401, 'Could not validate credentials'],
      ['blocked_at = now()', 423, 'Access denied. Account blocked'],
      ['deleted_at = now()', 401, 'User is Deleted'],
    ] as const) {
      await server.database.pool.query(`UPDATE root_user SET ${columns} WHERE id = $1`, [account.id])
      expect(await chart({}, account.token)).toMatchObject({ status, body: { detail } })
      expect(await chart({ select_mode: 2 }, account.token)).toMatchObject({ status, body: { detail } })
    }
    await server.database.pool.query('DELETE FROM session WHERE root_user_id = $1', [account.id])
    await server.database.pool.query('DELETE FROM root_user WHERE id = $1', [account.id])
    expect(await chart({}, account.token)).toMatchObject({ status: 401, body: { detail: 'User is None' } })
  })

  test('an expired token', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 901_000 })
    expect(await chart({})).toMatchObject({ status: 401, body: { detail: 'Token is expired' } })
  })

  test.each([
    ['real_user_id', ''],
    ['real_user_id', '1.5'],
    ['real_user_id', '1e3'],
    ['real_user_id', '0x10'],
    ['real_user_id', '2147483648'],
    ['real_user_id', 'x'],
    ['select_mode', ''],
    ['select_mode', '0.5'],
    ['select_mode', 'true'],
    ['select_mode', ' 1'],
    ['current_date', ''],
    ['current_date', '2026-3-1'],
    ['current_date', '20260301'],
    ['current_date', '2026-02-29'],
    ['current_date', '2026-03-01T00:00:00'],
    ['current_date', '0000-01-01'],
    ['current_date', '10000-01-01'],
    ['current_date', '2026-03-01\0'],
    ['current_date', 'today'],
  ])('%s %j', async (field, value) => {
    const { status, body } = await chart({ [field]: value })
    expect(status).toBe(422)
    expect(body.detail).toMatchObject([{ loc: ['query', field] }])
  })

  test('a child must be named, once', async () => {
    expect(await server.get(PATH, { token: parent.token })).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'missing', loc: ['query', 'real_user_id'] }] },
    })
    const twice = `${PATH}?real_user_id=${child.real_user_id}&real_user_id=${child.real_user_id}`
    expect(await server.get(twice, { token: parent.token })).toMatchObject({ status: 422 })
  })
})
