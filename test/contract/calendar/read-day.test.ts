import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { errorsByState, stateErrors } from '../../support/account-states.ts'
import { bytesFromDatabase } from '../../support/bytes-from-database.ts'
import { addChild, devlogItem, signIn, signUp, upload } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { startServer, useServer } from '../../support/server.ts'

const server = useServer()
const PATH = '/api/v1/beta/event'
const DAY = '2026-03-20'
const NO_EVENT = { event_id: null, memo: '', event_data: { medication: [], hospital: [] } }

let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeEach(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
})
afterEach(() => void vi.useRealTimers())

const day = (query: Record<string, string | number> = {}, token = parent.token) =>
  server.get(PATH, { token, query: { real_user_id: child.real_user_id, event_date: DAY, ...query } })
const save = (content: object) =>
  server.post(PATH, {
    token: parent.token,
    json: { real_user_id: child.real_user_id, created_at: DAY, ...content },
  })
const record = async (...items: ReturnType<typeof devlogItem>[]) =>
  expect(await upload(server, items)).toMatchObject({ status: 200 })

test('treatments and event', async () => {
  const content = {
    memo: 'slept well',
    event_data: { medication: [{ medication_name: 'M', medication_dose: 5 }], hospital: ['Seoul', 'Busan'] },
  }
  await record(
    devlogItem(child.unique_id, `${DAY}T23:59:59.999999`, {
      treatment_time: 120,
      intensities: [4],
      log_file_id: 1,
    }),
    devlogItem(child.unique_id, `${DAY}T00:00`, { treatment_time: 5000, intensities: [9], log_file_id: 2 }),
    devlogItem(child.unique_id, `${DAY}T21:30:00`, {
      treatment_time: 0,
      is_temp: true,
      intensities: [],
      log_file_id: 3,
    }),
  )
  const { event_id } = (await save(content)).body
  const { status, body, headers } = await day()
  expect(status).toBe(200)
  expect(body).toEqual({
    real_user_id: child.real_user_id,
    event_id,
    treatment_data: [
      { treatment_date: `${DAY}T00:00:00`, treatment_time: 5000, last_intensity: 9, is_temp: false },
      { treatment_date: `${DAY}T21:30:00`, treatment_time: 0, last_intensity: 0, is_temp: true },
      { treatment_date: `${DAY}T23:59:59.999999`, treatment_time: 120, last_intensity: 4, is_temp: false },
    ],
    ...content,
  })
  expect(headers.get('etag')).toMatch(/^"[\w-]+"$/)
})

test('a day with treatments only', async () => {
  await record(devlogItem(child.unique_id, `${DAY}T21:30:00`))
  const { body, headers } = await day()
  expect(body).toEqual({
    real_user_id: child.real_user_id,
    ...NO_EVENT,
    treatment_data: [
      { treatment_date: `${DAY}T21:30:00`, treatment_time: 720, last_intensity: 9, is_temp: false },
    ],
  })
  expect(headers.get('etag')).toBeNull()
})

test('a day with an event only', async () => {
  const { event_id } = (await save({ memo: 'x' })).body
  expect((await day()).body).toEqual({
    real_user_id: child.real_user_id,
    event_id,
    treatment_data: [],
    memo: 'x',
    event_data: { medication: [], hospital: [] },
  })
})

test('a day with nothing', async () => {
  expect((await day()).body).toEqual({ real_user_id: child.real_user_id, ...NO_EVENT, treatment_data: [] })
})

test('an event that has been emptied keeps its id', async () => {
  const { event_id } = (await save({ memo: 'x' })).body
  await save({ event_data: { medication: [], hospital: [] } })
  expect((await day()).body).toMatchObject({
    event_id,
    memo: '',
    event_data: { medication: [], hospital: [] },
  })
})

test('treatments that the calendar does not count, or of another day or child, are not there', async () => {
  const sibling = await addChild(server, parent.token)
  await record(
    devlogItem(child.unique_id, `${DAY}T20:00:00`, { treatment_time: 119, log_file_id: 1 }),
    devlogItem(child.unique_id, `${DAY}T21:00:00`, { treatment_time: 500, log_file_id: 2 }),
    devlogItem(child.unique_id, '2026-03-19T23:59:59.999999', { log_file_id: 3 }),
    devlogItem(child.unique_id, '2026-03-21T00:00:00', { log_file_id: 4 }),
    devlogItem(sibling.unique_id, `${DAY}T21:00:00`),
  )
  await server.database.pool.query('UPDATE treatment SET deleted_at = now() WHERE treatment_time = 500')
  for (const created_at of ['2026-03-19', '2026-03-21']) await save({ created_at, memo: 'x' })
  await save({ real_user_id: sibling.real_user_id, memo: 'x' })
  expect((await day()).body).toMatchObject({ ...NO_EVENT, treatment_data: [] })
})

test.each(['0001-01-01', '9999-12-31'])('the day %s', async (event_date) => {
  const { event_id } = (await save({ created_at: event_date, memo: 'x' })).body
  expect((await day({ event_date })).body).toMatchObject({ event_id, memo: 'x' })
})

describe('without a date, the day is the today of the service', () => {
  test.each([
    ['2026-06-15T03:30:00Z', '2026-06-14'],
    ['2026-06-15T04:30:00Z', '2026-06-15'],
    ['2026-01-01T04:30:00Z', '2025-12-31'],
  ])('at %s it is %s in New York', async (now, created_at) => {
    const { event_id } = (await save({ created_at, memo: 'x' })).body
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) })
    const token = (await signIn(server, parent.email)).body.access_token
    const { body } = await server.get(PATH, { token, query: { real_user_id: child.real_user_id } })
    expect(body.event_id).toBe(event_id)
  })

  test('and in Seoul, if that is configured', async () => {
    const seoul = await startServer({ SERVICE_TIME_ZONE: 'Asia/Seoul' })
    try {
      vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-06-14T15:30:00Z') })
      const { token } = await signUp(seoul)
      const { real_user_id } = await addChild(seoul, token)
      await seoul.post(PATH, { token, json: { real_user_id, created_at: '2026-06-15', memo: 'x' } })
      expect((await seoul.get(PATH, { token, query: { real_user_id } })).body.memo).toBe('x')
    } finally {
      await seoul.stop()
    }
  })
})

describe('errors', () => {
  const failed = { status: 400, body: { detail: 'Failed to read detail event' } }

  test("another family's child, an absent one, and a deleted one", async () => {
    await save({ memo: 'x' })
    const stranger = await signUp(server)
    const response = await day({}, stranger.token)
    expect(response).toMatchObject({ status: 401, body: { detail: 'Not authorized user' } })
    expect(response.headers.get('etag')).toBeNull()
    expect(await day({ real_user_id: 2 ** 31 - 1 })).toMatchObject(failed)
    await server.database.pool.query('UPDATE real_user SET deleted_at = now() WHERE id = $1', [
      child.real_user_id,
    ])
    expect(await day()).toMatchObject(failed)
  })

  test.each(['', '2026-02-29', '2026-3-1', '20260301', '2026-03-20T00:00:00', '0000-01-01', 'today'])(
    'the date %j',
    async (event_date) => {
      const { status, body } = await day({ event_date })
      expect(status).toBe(422)
      expect(body.detail).toEqual([
        {
          type: 'invalid',
          loc: ['query', 'event_date'],
          msg: 'must be a day as yyyy-mm-dd',
          input: event_date,
          ctx: { error: 'must be a day as yyyy-mm-dd' },
          url: expect.stringMatching(/^http/),
        },
      ])
    },
  )

  test('a child that is no id, and none', async () => {
    expect(await day({ real_user_id: 'x' })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['query', 'real_user_id'] }] },
    })
    expect(await server.get(PATH, { token: parent.token })).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'missing' }] },
    })
  })

  test('tokens and accounts', async () => {
    const said = await errorsByState(server, parent, (token) => day({}, token))
    expect(said).toEqual(stateErrors)
  })
})

describe('a day with more treatments than anybody has', () => {
  test('lists the newest 2,000, and reads the event once', async () => {
    const content = {
      memo: '가'.repeat(1000),
      event_data: {
        medication: Array.from({ length: 90 }, () => ({
          medication_name: '약'.repeat(200),
          medication_dose: 1,
        })),
        hospital: Array.from({ length: 60 }, () => '병'.repeat(200)),
      },
    }
    expect((await save(content)).status).toBe(200)
    await server.database.pool.query(
      `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id, last_intensity,
         finish_flag, intensity_record)
       SELECT $1, $2, $3::timestamp + n * interval '1 second', 120, n, 7, 1, '{}' FROM generate_series(1, 2001) n`,
      [child.device_id, child.real_user_id, DAY],
    )
    const { result, bytes } = await bytesFromDatabase(server.database.pool, () => day())
    expect(result).toMatchObject({ status: 200, body: content })
    expect(result.body.treatment_data).toHaveLength(2000)
    expect(result.body.treatment_data[0].treatment_date).toBe(`${DAY}T00:00:02`)
    expect(bytes).toBeLessThan(1_000_000)
  })
})
