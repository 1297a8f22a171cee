import { beforeEach, describe, expect, test } from 'vitest'
import { errorsByState, stateErrors } from '../../support/account-states.ts'
import { addChild, devlogItem, signUp, upload } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { plans } from '../../support/plans.ts'
import { useServer } from '../../support/server.ts'

/* A goal of 240 minutes is that of the service; 2026-03-01 is a Sunday. */

const server = useServer()
const calls = plans(server)

let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeEach(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
})

const insight = async (current_date: string, token = parent.token) =>
  calls.insight({ token }, { real_user_id: child.real_user_id, current_date })

type Use = [start: string, seconds: number, more?: object]
const record = async (...uses: Use[]) => {
  const items = uses.map(([start, treatment_time, more], n) =>
    devlogItem(child.unique_id, start, { log_file_id: n + 1, treatment_time, ...more }),
  )
  expect(await upload(server, items)).toMatchObject({ status: 200 })
}
const daysAfter = (date: string, days: number) =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)

/** As if it had been planned then. */
const plan = (from: string, nights_per_week: number, minutes: number) =>
  server.database.pool.query(
    `INSERT INTO plan (real_user_id, from_date, nights_per_week, minutes, set_by, set_at) VALUES ($1, $2, $3, $4, 'parent', now())`,
    [child.real_user_id, from, nights_per_week, minutes],
  )
const connectedAt = (at: string) =>
  server.database.pool.query('UPDATE device SET connected_at = $2 WHERE id = $1', [child.device_id, at])
const uploadedAt = (at: string) =>
  server.database.pool.query('UPDATE device SET last_upload_at = $2 WHERE id = $1', [child.device_id, at])

test('a night that lost contact and went on after midnight is one, and reaches the goal', async () => {
  await record(
    ['2026-03-02T22:00:00', 7260, { finish_flag: '4' }],
    ['2026-03-03T01:36:00', 7199],
    ['2026-03-03T03:40:00', 119, { finish_flag: '4' }],
    ['2026-03-03T11:59:59', 30, { is_temp: true }],
    ['2026-03-03T12:00:00', 14_399],
  )
  const { status, body } = await insight('2026-03-03')
  expect(status).toBe(200)
  expect(body).toEqual({
    current_date: '2026-03-03',
    week: {
      first: '2026-03-01',
      last: '2026-03-07',
      planned: null,
      used: 2,
      reached: 1,
      median_minutes: 240,
    },
    before: {
      first: '2026-02-22',
      last: '2026-02-28',
      planned: null,
      used: 0,
      reached: 0,
      median_minutes: null,
    },
    weeks_in_a_row: 0,
    last_night: { date: '2026-03-02', minutes: 241, reached: true, contact_losses: 1 },
    usual_minutes: null,
    missing: null,
  })
})

test('evenings after the date do not count, and each evening has the goal of its own plan', async () => {
  await plan('2026-02-27', 3, 60)
  await plan('2026-03-03', 6, 120)
  await record(
    ...['2026-02-26', '2026-02-27', '2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04'].map(
      (date): Use => [`${date}T21:00:00`, 3600],
    ),
  )
  const { body } = await insight('2026-03-03')
  expect(body.before).toMatchObject({ planned: 3, used: 2, reached: 1, median_minutes: 60 })
  expect(body.week).toMatchObject({ planned: 6, used: 3, reached: 2 })
  expect(body.last_night).toMatchObject({ reached: true })
})

test('the usual night is the median of the 28 before the last one, with five of them', async () => {
  const use = (days: number, minutes: number): Use => [
    `${daysAfter('2026-03-20', -days)}T21:00:00`,
    minutes * 60 + 59,
  ]
  await record(use(1, 500), use(2, 10), use(9, 20), use(10, 30), use(28, 40), use(30, 1000))
  expect((await insight('2026-03-20')).body.usual_minutes).toBe(null)
  await record(use(29, 50))
  expect((await insight('2026-03-20')).body.usual_minutes).toBe(30)
})

test('weeks in a row pass over pauses, end at a week that fell short, and take no longer in the year 9999', async () => {
  await plan('2026-01-04', 1, 60)
  await plan('2026-01-18', 0, 60)
  await plan('2026-02-01', 2, 60)
  const reached = ['2026-01-12', '2026-02-02', '2026-02-03', '2026-02-08', '2026-02-14']
  await record(...reached.map((date): Use => [`${date}T23:00:00`, 3600]), ['2026-02-16T23:00:00', 3599])
  const at = async (date: string) => (await insight(date)).body.weeks_in_a_row
  expect(await at('2026-01-17')).toBe(0)
  expect(await at('2026-01-20')).toBe(1)
  expect(await at('2026-02-10')).toBe(2)
  expect(await at('2026-02-15')).toBe(3)
  expect(await at('2026-02-22')).toBe(0)
  await plan('2026-02-15', 0, 60)
  expect(await at('9999-12-31')).toBe(3)
})

test.each([0, 1, 2, 3, 4, 5, 12, 13])(
  'a run of %i weeks before the present one, after a plan and a break',
  async (run) => {
    const saturday = '2026-02-28'
    await plan(daysAfter(saturday, -7 * 20), 2, 60)
    const twoNights = Array.from({ length: 20 }, (_, n) => [
      daysAfter(saturday, -7 * n),
      daysAfter(saturday, -7 * n - 6),
    ])
    // The week after the run has one night of two; those before it have both.
    await record(
      ...twoNights
        .flatMap((dates, n) => (n === run ? dates.slice(1) : dates))
        .map((date): Use => [`${date}T21:00:00`, 3600]),
    )
    const at = async (date: string) => (await insight(date)).body.weeks_in_a_row
    expect(await at('2026-03-01')).toBe(run)
    expect(await at('2026-03-07')).toBe(run)
    // A plan that is newer than four weeks, or a pause within them.
    await plan(daysAfter(saturday, -10), 2, 60)
    expect(await at('2026-03-01')).toBe(run)
    await plan(daysAfter(saturday, -6), 0, 60)
    expect(await at('2026-03-01')).toBe(run === 0 ? 19 : run - 1)
  },
)

describe('a missing night', () => {
  const missing = async () => (await insight('2026-03-05')).body.missing
  beforeEach(() => connectedAt('2026-03-04T22:59:59Z'))

  test('of a device that has sent nothing since 04:00, and of one that has', async () => {
    expect(await missing()).toEqual({ date: '2026-03-04', reason: 'nothing_arrived', last_upload_at: null })
    await uploadedAt('2026-03-05T08:59:59.999Z')
    expect(await missing()).toMatchObject({
      reason: 'nothing_arrived',
      last_upload_at: '2026-03-05T08:59:59.999Z',
    })
    await uploadedAt('2026-03-05T09:00:00Z')
    expect(await missing()).toMatchObject({ reason: 'other_logs_arrived' })
  })

  test('not of an evening at 18:00 of which no device was connected yet', async () => {
    await connectedAt('2026-03-04T23:00:00Z')
    expect(await missing()).toBe(null)
  })

  test('not of a night that was used however short; a repeat that stores nothing is no upload', async () => {
    await record(['2026-03-01T21:00:00', 3600])
    await uploadedAt('2026-03-02T12:00:00Z')
    await record(['2026-03-01T21:00:00', 3600])
    expect(await missing()).toMatchObject({ last_upload_at: '2026-03-02T12:00:00.000Z' })
    await record(['2026-03-05T11:00:00', 120])
    expect(await missing()).toBe(null)
  })
})

test('what is not valid, and whose child it is not', async () => {
  const stranger = await signUp(server)
  expect(await insight('2026-03-05', stranger.token)).toMatchObject({
    status: 401,
    body: { detail: 'Not authorized user' },
  })
  expect(await insight('2026-02-30')).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['query', 'current_date'] }] },
  })
  expect(await errorsByState(server, parent, (token) => insight('2026-03-05', token))).toEqual(stateErrors)
})
