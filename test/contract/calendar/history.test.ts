import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { errorsByState, stateErrors } from '../../support/account-states.ts'
import { addChild, devlogItem, signIn, signUp, upload } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { startServer, useServer } from '../../support/server.ts'

const server = useServer()
const PATH = '/api/v1/beta/event/history'

let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeEach(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
})
afterEach(() => void vi.useRealTimers())

const history = (query: Record<string, string | number> = {}, token = parent.token) =>
  server.get(PATH, { token, query: { real_user_id: child.real_user_id, ...query } })

/** Stores what the calendar may show; devices do not accept dates as old or as new as these. */
const treatments = (...dates: string[]) =>
  server.database.pool.query(
    `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id, last_intensity,
       finish_flag, intensity_record)
     SELECT $1, $2, at, 120, n, 1, 1, '{}' FROM unnest($3::timestamp[]) WITH ORDINALITY AS t (at, n)`,
    [child.device_id, child.real_user_id, dates],
  )

const note = async (created_at: string, content: object) => {
  const { status, body } = await server.post('/api/v1/beta/event', {
    token: parent.token,
    json: { real_user_id: child.real_user_id, created_at, ...content },
  })
  expect(status).toBe(200)
  return body.event_id
}

const datesOf = ({ status, body }: Awaited<ReturnType<typeof history>>) => {
  expect(status).toBe(200)
  return body.map(({ date }: { date: string }) => date)
}
const MARCH = { select_mode: 1, year: 2026, select_data: 3 }

test('days with a treatment, an event, both; ascending; no others', async () => {
  await note('2026-03-03', { memo: 'slept well' })
  await treatments(
    '2026-03-31T23:59:59.999999',
    '2026-03-02T20:00:00',
    '2026-03-02T22:00:00',
    '2026-03-01T00:00:00',
  )
  await note('2026-03-02', { event_data: { hospital: ['Seoul'] } })
  await note('2026-03-05', { event_data: { medication: [{ medication_name: 'm', medication_dose: 1 }] } })
  expect(await history(MARCH)).toMatchObject({
    status: 200,
    body: [
      { date: '2026-03-01', is_devlog: 1, is_event: 0 },
      { date: '2026-03-02', is_devlog: 1, is_event: 1 },
      { date: '2026-03-03', is_devlog: 0, is_event: 1 },
      { date: '2026-03-05', is_devlog: 0, is_event: 1 },
      { date: '2026-03-31', is_devlog: 1, is_event: 0 },
    ],
  })
})

test('a treatment counts when it is temporary or lasted 120 seconds, and is not deleted', async () => {
  const item = (day: string, treatment_time: number, is_temp = false) =>
    devlogItem(child.unique_id, `2026-03-${day}T20:00:00`, { treatment_time, is_temp })
  await upload(server, [
    item('01', 119),
    item('02', 120),
    item('03', 0, true),
    item('04', 119, true),
    item('05', 500),
  ])
  await server.database.pool.query(`UPDATE treatment SET deleted_at = now() WHERE treatment_time = 500`)
  expect(datesOf(await history(MARCH))).toEqual(['2026-03-02', '2026-03-03', '2026-03-04'])
})

test('an event that has been emptied is no mark, and no row without a treatment', async () => {
  await treatments('2026-03-02T20:00:00')
  for (const day of ['2026-03-02', '2026-03-03']) {
    await note(day, { memo: 'x', event_data: { hospital: ['y'] } })
    await note(day, { event_data: { medication: [], hospital: [] } })
  }
  expect((await history(MARCH)).body).toEqual([{ date: '2026-03-02', is_devlog: 1, is_event: 0 }])
})

test("another child's days are not shown", async () => {
  await treatments('2026-03-02T20:00:00')
  await note('2026-03-02', { memo: 'x' })
  const sibling = await addChild(server, parent.token)
  expect(datesOf(await history({ ...MARCH, real_user_id: sibling.real_user_id }))).toEqual([])
})

describe('periods', () => {
  const cases: [string, Record<string, number>, string[], string[]][] = [
    [
      'week 1 holds 1 January, with its days of the year before',
      { select_mode: 0, year: 2026, select_data: 1 },
      ['2025-12-28', '2026-01-01', '2026-01-03'],
      ['2025-12-27', '2026-01-04'],
    ],
    [
      'the last week has its days of the year after',
      { select_mode: 0, year: 2025, select_data: 53 },
      ['2025-12-28', '2025-12-31', '2026-01-03'],
      ['2025-12-27', '2026-01-04'],
    ],
    [
      'a year that begins on a Sunday',
      { select_mode: 0, year: 2023, select_data: 2 },
      ['2023-01-08', '2023-01-14'],
      ['2023-01-07', '2023-01-15'],
    ],
    [
      'week 54',
      { select_mode: 0, year: 2028, select_data: 54 },
      ['2028-12-31', '2029-01-06'],
      ['2028-12-30', '2029-01-07'],
    ],
    [
      'a week the year does not have',
      { select_mode: 0, year: 2026, select_data: 54 },
      [],
      ['2026-12-31', '2027-01-03'],
    ],
    [
      'a leap February',
      { select_mode: 1, year: 2024, select_data: 2 },
      ['2024-02-01', '2024-02-29'],
      ['2024-01-31', '2024-03-01'],
    ],
    [
      'a December',
      { select_mode: 1, year: 2025, select_data: 12 },
      ['2025-12-01', '2025-12-31'],
      ['2025-11-30', '2026-01-01'],
    ],
    [
      'a quarter',
      { select_mode: 2, year: 2025, select_data: 4 },
      ['2025-10-01', '2025-11-15', '2025-12-31'],
      ['2025-09-30', '2026-01-01'],
    ],
    ['a year', { select_mode: 3, year: 2025 }, ['2025-01-01', '2025-12-31'], ['2024-12-31', '2026-01-01']],
    [
      'a year, whatever number is sent',
      { select_mode: 3, year: 2025, select_data: 99 },
      ['2025-01-01'],
      ['2026-01-01'],
    ],
    ['the first year', { select_mode: 3, year: 1 }, ['0001-01-01', '0001-12-31'], ['0002-01-01']],
    [
      'the first week',
      { select_mode: 0, year: 1, select_data: 1 },
      ['0001-01-01', '0001-01-06'],
      ['0001-01-07'],
    ],
    ['the last year', { select_mode: 3, year: 9999 }, ['9999-01-01', '9999-12-31'], ['9998-12-31']],
  ]

  test.each(cases)('%s', async (_name, query, within, outside) => {
    await treatments(...[...within, ...outside].map((date) => `${date}T23:59:59`))
    expect(datesOf(await history(query))).toEqual(within)
    for (const date of [...within, ...outside]) await note(date, { memo: 'x' })
    expect((await history(query)).body).toEqual(within.map((date) => ({ date, is_devlog: 1, is_event: 1 })))
  })

  // 2026-03-01 is a Sunday; its 4:30 UTC is still Saturday in New York.
  const current: [string, Record<string, number>, string[], string[]][] = [
    ['2026-03-01T04:30:00Z', {}, ['2026-02-22', '2026-02-28'], ['2026-02-21', '2026-03-01']],
    ['2026-03-01T05:30:00Z', {}, ['2026-03-01', '2026-03-07'], ['2026-02-28', '2026-03-08']],
    ['2026-03-01T04:30:00Z', { select_mode: 1 }, ['2026-02-01', '2026-02-28'], ['2026-01-31', '2026-03-01']],
    ['2026-03-01T05:30:00Z', { select_mode: 1 }, ['2026-03-01', '2026-03-31'], ['2026-02-28', '2026-04-01']],
    ['2026-04-01T03:30:00Z', { select_mode: 2 }, ['2026-01-01', '2026-03-31'], ['2025-12-31', '2026-04-01']],
    ['2026-04-01T04:30:00Z', { select_mode: 2 }, ['2026-04-01', '2026-06-30'], ['2026-03-31', '2026-07-01']],
    ['2026-01-01T04:30:00Z', { select_mode: 3 }, ['2025-01-01', '2025-12-31'], ['2024-12-31', '2026-01-01']],
    ['2026-01-01T05:30:00Z', { select_mode: 3 }, ['2026-01-01', '2026-12-31'], ['2025-12-31', '2027-01-01']],
    // At the year's end the current week reaches into the next year, and the next day into the last.
    ['2026-01-01T04:30:00Z', {}, ['2025-12-28', '2026-01-03'], ['2025-12-27', '2026-01-04']],
    ['2026-01-01T05:30:00Z', {}, ['2025-12-28', '2026-01-03'], ['2025-12-27', '2026-01-04']],
    // 2026-03-01 (here) is in week 10, month 3, quarter 1, of whatever year is asked for.
    ['2026-03-01T12:00:00Z', { year: 2025 }, ['2025-03-02', '2025-03-08'], ['2025-03-01', '2025-03-09']],
    [
      '2026-03-01T12:00:00Z',
      { year: 2024, select_mode: 1 },
      ['2024-03-01', '2024-03-31'],
      ['2024-02-29', '2024-04-01'],
    ],
    ['2026-03-01T12:00:00Z', { year: 2024, select_mode: 2 }, ['2024-01-01', '2024-03-31'], ['2024-04-01']],
    ['2026-03-01T12:00:00Z', { select_data: 1 }, ['2025-12-28', '2026-01-03'], ['2026-01-04']],
    // 2028-12-31 is in week 54, which 2026 does not have.
    ['2028-12-31T12:00:00Z', { year: 2026 }, [], ['2026-12-31']],
    ['2028-12-31T12:00:00Z', {}, ['2028-12-31', '2029-01-06'], ['2028-12-30']],
  ]

  test.each(current)('current at %s with %j', async (now, query, within, outside) => {
    await treatments(...[...within, ...outside].map((date) => `${date}T12:00:00`))
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) })
    const { access_token } = (await signIn(server, parent.email)).body
    expect(datesOf(await history(query, access_token))).toEqual(within)
  })

  test('the current day is that of the configured time zone', async () => {
    const seoul = await startServer({ SERVICE_TIME_ZONE: 'Asia/Seoul' })
    try {
      vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-06-30T15:30:00Z') })
      const { token } = await signUp(seoul)
      const { real_user_id, unique_id } = await addChild(seoul, token)
      await upload(seoul, [
        devlogItem(unique_id, '2026-06-30T12:00:00', { log_file_id: 1 }),
        devlogItem(unique_id, '2026-07-01T00:10:00', { log_file_id: 2 }),
      ])
      const { body } = await seoul.get(PATH, { token, query: { real_user_id, select_mode: 1 } })
      expect(body).toEqual([{ date: '2026-07-01', is_devlog: 1, is_event: 0 }])
    } finally {
      await seoul.stop()
    }
  })
})

describe('errors', () => {
  const WEEKS = 'select_data for mode 0 (week) must be between 0 and 54'
  const MONTHS = 'select_data for mode 1 (month) must be between 0 and 12'
  const QUARTERS = 'select_data for mode 2 (quarter) must be between 0 and 4'
  const YEARS = 'The year must be between 1 and 9999'

  test.each([
    [{ select_mode: 4 }, 400, 'Invalid mode'],
    [{ select_mode: -1, year: -1, select_data: 99 }, 400, 'Invalid mode'],
    [{ select_mode: 99_999_999_999 }, 400, 'Invalid mode'],
    [{ select_data: 55 }, 422, WEEKS],
    [{ select_data: -1 }, 422, WEEKS],
    [{ select_data: 99_999_999_999 }, 422, WEEKS],
    [{ select_mode: 1, select_data: 13 }, 422, MONTHS],
    [{ select_mode: 1, select_data: -1 }, 422, MONTHS],
    [{ select_mode: 2, select_data: 5 }, 422, QUARTERS],
    [{ select_mode: 2, select_data: -1 }, 422, QUARTERS],
    [{ year: -1 }, 422, YEARS],
    [{ year: 10_000 }, 422, YEARS],
    [{ select_mode: 3, year: 99_999_999_999, select_data: 77 }, 422, YEARS],
  ])('%j', async (query, status, detail) => {
    expect(await history(query)).toMatchObject({ status, body: { detail } })
  })

  test.each([
    [{ select_mode: 0, select_data: 54 }],
    [{ select_mode: 1, select_data: 12 }],
    [{ select_mode: 2, select_data: 4 }],
    [{ select_mode: 3, year: 9999 }],
    [{ select_mode: 3, year: 1 }],
    [{ select_mode: 3, year: 0 }],
  ])('but not %j', async (query) => {
    expect(await history(query)).toMatchObject({ status: 200 })
  })

  test.each([
    ['select_mode', ''],
    ['select_mode', 'week'],
    ['year', '2026.5'],
    ['year', '1e3'],
    ['select_data', 'true'],
  ])('%s %j is no integer', async (field, value) => {
    const { status, body } = await history({ [field]: value })
    expect(status).toBe(422)
    expect(body.detail).toMatchObject([{ loc: ['query', field] }])
  })

  test("an absent child, a deleted one and another family's, also for a week that is not there", async () => {
    const notOwn = { status: 401, body: { detail: 'Not authorized user' } }
    const stranger = await signUp(server)
    expect(await history({}, stranger.token)).toMatchObject(notOwn)
    expect(await history({ year: 2026, select_data: 54 }, stranger.token)).toMatchObject(notOwn)
    expect(await history({ real_user_id: 2 ** 31 - 1 })).toMatchObject(notOwn)
    await server.database.pool.query('UPDATE real_user SET deleted_at = now() WHERE id = $1', [
      child.real_user_id,
    ])
    expect(await history()).toMatchObject(notOwn)
  })

  test('tokens and accounts', async () => {
    const said = await errorsByState(server, parent, (token) => history({}, token))
    expect(said).toEqual(stateErrors)
  })
})
