import { beforeEach, expect, test } from 'vitest'
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
  parent = await signUp(server)
  child = (await addChild(server, parent.token)).real_user_id
})

const list = (query: object = {}, token = parent.token) =>
  calls.list({ token }, { real_user_id: child, ...query })

test('the current plan is the newest that has begun by the date', async () => {
  expect((await list()).body).toEqual({ current: null, plans: [] })
  const days = [3, -3, 0].map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10))
  const [late, early, middle] = await Promise.all(
    days.map(
      async (from) =>
        (await calls.set(parent, { real_user_id: child, nights_per_week: 3, minutes: 60, from })).body,
    ),
  )
  const at = async (current_date: string) => (await list({ current_date })).body
  const all = [early, middle, late]
  expect(await at('2015-01-01')).toEqual({ current: null, plans: all })
  expect(await at(middle.from)).toEqual({ current: middle, plans: all })
  expect(await at('9999-12-31')).toEqual({ current: late, plans: all })
})

test('a deleted child takes its plans along', async () => {
  await calls.set(parent, { real_user_id: child, nights_per_week: 3, minutes: 60 })
  const { pool } = server.database
  await pool.query('UPDATE real_user SET deleted_at = now() WHERE id = $1', [child])
  expect((await pool.query('SELECT FROM plan WHERE real_user_id = $1', [child])).rowCount).toBe(0)
  expect(await list()).toMatchObject({ status: 401, body: { detail: 'Not authorized user' } })
})

test('what is not valid', async () => {
  expect(await list({ current_date: 'today' })).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['query', 'current_date'] }] },
  })
  expect(await errorsByState(server, parent, (token) => list({}, token))).toEqual(stateErrors)
})
