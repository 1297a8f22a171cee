import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { errorsByState, stateErrors } from '../../support/account-states.ts'
import { addChild, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { inBetween } from '../../support/lock-waits.ts'
import { useServer } from '../../support/server.ts'
import { scores, surveys } from '../../support/surveys.ts'

const server = useServer()
const { latest, ...calls } = surveys(server)
const notOwn = { status: 401, body: { detail: 'Not authorized user' } }

let parent: Account
let child: number
beforeEach(async () => {
  parent = await signUp(server)
  child = (await addChild(server, parent.token)).real_user_id
})
afterEach(() => void vi.useRealTimers())

const submit = (json: object, token = parent.token) =>
  calls.submit({ token }, { real_user_id: child, ...json })

test('a survey is answered with its id, and is the newest of the analysis', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
  const { status, body } = await submit(scores(12))
  expect(status).toBe(200)
  const created_at = new Date().toISOString()
  expect(body).toEqual({ survey_id: expect.any(Number), ...scores(12), created_at })
  expect(await latest(parent, { real_user_id: child })).toMatchObject({
    status: 200,
    body: { survey_analysis: [{ ...scores(12), created_at }] },
  })
})

describe('erasure', () => {
  const stored = async () =>
    (await server.database.pool.query('SELECT FROM survey WHERE real_user_id = $1', [child])).rowCount

  test('a deleted child takes its surveys along', async () => {
    await submit(scores(1))
    await server.database.pool.query('UPDATE real_user SET deleted_at = now() WHERE id = $1', [child])
    expect(await stored()).toBe(0)
    expect((await latest(parent)).body).toEqual({ survey_analysis: [] })
  })

  test('a deleted account too', async () => {
    await submit(scores(1))
    expect(await server.delete('/api/v1/beta/user/root-user', { token: parent.token })).toMatchObject({
      status: 200,
    })
    expect(await stored()).toBe(0)
  })

  test('a survey that meets the deletion of its child is refused, not left behind', async () => {
    const response = await inBetween(server, {
      lock: `SELECT FROM real_user WHERE id = ${child} FOR UPDATE`,
      change: `UPDATE real_user SET deleted_at = now() WHERE id = ${child}`,
      call: () => submit(scores(1)),
    })
    expect(response).toMatchObject(notOwn)
    expect(await stored()).toBe(0)
  })
})

describe('errors', () => {
  test("an absent child, a deleted one and another family's", async () => {
    const stranger = await signUp(server)
    expect(await submit(scores(1), stranger.token)).toMatchObject(notOwn)
    expect(await submit({ ...scores(1), real_user_id: 2 ** 31 - 1 })).toMatchObject(notOwn)
    await server.database.pool.query('UPDATE real_user SET deleted_at = now() WHERE id = $1', [child])
    expect(await submit(scores(1))).toMatchObject(notOwn)
  })

  test.each([
    [{ attention_score: undefined }, 'attention_score', 'missing'],
    [{ impulsivity_score: 1.5 }, 'impulsivity_score', 'invalid_type'],
    [{ disorder_score: '3' }, 'disorder_score', 'invalid_type'],
    [{ disorder_score: -1 }, 'disorder_score', 'too_small'],
    [{ disorder_score: 2 ** 31 }, 'disorder_score', 'too_big'],
    [{ real_user_id: null }, 'real_user_id', 'invalid_type'],
  ])('%j', async (change, field, type) => {
    expect(await submit({ ...scores(1), ...change })).toMatchObject({
      status: 422,
      body: { detail: [{ type, loc: ['body', field] }] },
    })
  })

  test('tokens and accounts', async () => {
    expect(await errorsByState(server, parent, (token) => submit(scores(1), token))).toEqual(stateErrors)
  })
})
