import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { errorsByState, stateErrors } from '../../support/account-states.ts'
import { addChild, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { plans } from '../../support/plans.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const calls = plans(server)

let parent: Account
let child: number
beforeEach(async () => {
  // The next day in UTC, but not where the service is.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-02T03:00:00Z') })
  parent = await signUp(server)
  child = (await addChild(server, parent.token)).real_user_id
})
afterEach(() => void vi.useRealTimers())

const set = (json: object = {}, token = parent.token) =>
  calls.set({ token }, { real_user_id: child, nights_per_week: 5, minutes: 420, ...json })
const stored = async () => (await calls.list(parent, { real_user_id: child })).body.plans

test('a plan begins today, and nobody is reminded, unless it says otherwise', async () => {
  const { status, body } = await set()
  expect(status).toBe(200)
  expect(body).toEqual({
    plan_id: expect.any(Number),
    real_user_id: child,
    from: '2026-03-01',
    nights_per_week: 5,
    minutes: 420,
    bedtime: null,
    set_by: 'parent',
    set_at: '2026-03-02T03:00:00.000Z',
  })
  expect(await stored()).toEqual([body])
})

test('a plan of the same evening replaces it whole and keeps its id', async () => {
  const { body } = await set({ bedtime: '21:00' })
  const replaced = await set({ nights_per_week: 0, minutes: 1 })
  expect(replaced.body).toMatchObject({
    plan_id: body.plan_id,
    nights_per_week: 0,
    minutes: 1,
    bedtime: null,
  })
  expect(await stored()).toEqual([replaced.body])
})

test('of five plans at once for a child that has 98, two are stored; those that are there can still be replaced', async () => {
  await server.database.pool.query(
    `INSERT INTO plan (real_user_id, from_date, nights_per_week, minutes, set_by, set_at)
     SELECT $1, date '2025-04-01' + n, 5, 60, 'parent', now() FROM generate_series(1, 98) n`,
    [child],
  )
  const evenings = ['2026-04-01', '2026-04-02', '2026-04-03', '2026-04-04', '2026-04-05']
  const responses = await Promise.all(evenings.map((from) => set({ from })))
  expect(responses.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
    200, 200, 409, 409, 409,
  ])
  expect(responses.find(({ status }) => status === 409)?.body).toEqual({ detail: 'Too many plans' })
  const all: { from: string }[] = await stored()
  expect(all).toHaveLength(100)
  expect(await set({ from: all[0]?.from, minutes: 30 })).toMatchObject({ status: 200 })
})

describe('errors', () => {
  test.each([
    [{ minutes: 0 }, 'minutes'],
    [{ minutes: 1441 }, 'minutes'],
    [{ nights_per_week: 8 }, 'nights_per_week'],
    [{ nights_per_week: -1 }, 'nights_per_week'],
    [{ nights_per_week: null }, 'nights_per_week'],
    [{ bedtime: '24:00' }, 'bedtime'],
    [{ bedtime: '9:00' }, 'bedtime'],
    [{ from: '2026-02-30' }, 'from'],
    [{ from: '2025-02-27' }, 'from'],
    [{ from: '2027-03-03' }, 'from'],
  ])('%j is not valid, and nothing is stored', async (change, field) => {
    expect(await set(change)).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', field] }] } })
    expect(await stored()).toEqual([])
  })

  test.each(['2025-02-28', '2027-03-02'])('%s is just within 366 days', async (from) => {
    expect(await set({ from })).toMatchObject({ status: 200, body: { from } })
  })

  test("another family's child", async () => {
    const stranger = await signUp(server)
    expect(await set({}, stranger.token)).toMatchObject({
      status: 401,
      body: { detail: 'Not authorized user' },
    })
    expect(await stored()).toEqual([])
  })

  test('tokens and accounts', async () => {
    expect(await errorsByState(server, parent, (token) => set({}, token))).toEqual(stateErrors)
  })
})
