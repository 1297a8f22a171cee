import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { refusalsByState, stateRefusals } from '../../support/account-states.ts'
import { addChild, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { inBetween } from '../../support/lock.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const SUBMIT = '/api/v1/beta/survey'
const LATEST = '/api/v1/beta/chart/survey/analysis'
const notOwn = { status: 401, body: { detail: 'Not authorized user' } }

let parent: Account
let child: number
beforeEach(async () => {
  parent = await signUp(server)
  child = (await addChild(server, parent.token)).real_user_id
})
afterEach(() => void vi.useRealTimers())

const scores = (attention_score: number) => ({ attention_score, impulsivity_score: 7, disorder_score: 0 })
const submit = (json: object, token = parent.token) =>
  server.post(SUBMIT, { token, json: { real_user_id: child, ...json } })
const latest = (query: Record<string, string | number> = {}, token = parent.token) =>
  server.get(LATEST, { token, query })
const attention = ({ body }: Awaited<ReturnType<typeof latest>>) =>
  body.survey_analysis.map(({ attention_score }: { attention_score: number }) => attention_score)

test('a survey is answered with its id, and is the newest of the analysis', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
  const { status, body } = await submit(scores(12))
  expect(status).toBe(200)
  const created_at = new Date().toISOString()
  expect(body).toEqual({ survey_id: expect.any(Number), ...scores(12), created_at })
  expect(await latest({ real_user_id: child })).toMatchObject({
    status: 200,
    body: { survey_analysis: [{ ...scores(12), created_at }] },
  })
  expect(Object.keys((await latest()).body.survey_analysis[0]).toSorted()).toEqual([
    'attention_score',
    'created_at',
    'disorder_score',
    'impulsivity_score',
  ])
})

test('the analysis is the latest five, newest first, also within one millisecond', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  for (let n = 1; n <= 7; n++) {
    if (n < 5) vi.setSystemTime(Date.now() + 1000)
    await submit(scores(n))
  }
  expect(attention(await latest({ real_user_id: child }))).toEqual([7, 6, 5, 4, 3])
})

test('without a child, it is of all children of the account and of no others', async () => {
  const second = (await addChild(server, parent.token)).real_user_id
  const stranger = await signUp(server)
  const foreign = (await addChild(server, stranger.token)).real_user_id
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  for (const [n, real_user_id] of [child, child, child, second, child, second, child].entries()) {
    vi.setSystemTime(Date.now() + 1000)
    await submit({ ...scores(n), real_user_id })
  }
  await submit({ ...scores(99), real_user_id: foreign }, stranger.token)
  expect(attention(await latest())).toEqual([6, 5, 4, 3, 2])
  expect(attention(await latest({ real_user_id: child }))).toEqual([6, 4, 2, 1, 0])
  expect(attention(await latest({ real_user_id: second }))).toEqual([5, 3])
  expect(attention(await latest({}, stranger.token))).toEqual([99])
})

test('no survey is an empty analysis', async () => {
  expect(await latest()).toMatchObject({ status: 200, body: { survey_analysis: [] } })
  expect(await latest({ real_user_id: child })).toMatchObject({ status: 200, body: { survey_analysis: [] } })
})

describe('erasure', () => {
  const stored = async () =>
    (await server.database.pool.query('SELECT FROM survey WHERE real_user_id = $1', [child])).rowCount

  test('a deleted child takes its surveys along', async () => {
    await submit(scores(1))
    await server.database.pool.query('UPDATE real_user SET deleted_at = now() WHERE id = $1', [child])
    expect(await stored()).toBe(0)
    expect(attention(await latest())).toEqual([])
  })

  test('a deleted account too', async () => {
    await submit(scores(1))
    expect(await server.delete('/api/v1/beta/user/root-user', { token: parent.token })).toMatchObject({
      status: 200,
    })
    expect(await stored()).toBe(0)
  })

  test('a survey that meets the deletion of its child is refused, not left behind', async () => {
    const answer = await inBetween(server, {
      lock: `SELECT FROM real_user WHERE id = ${child} FOR UPDATE`,
      change: `UPDATE real_user SET deleted_at = now() WHERE id = ${child}`,
      call: () => submit(scores(1)),
    })
    expect(answer).toMatchObject(notOwn)
    expect(await stored()).toBe(0)
  })
})

describe('refusals', () => {
  test("an absent child, a deleted one and another family's", async () => {
    const stranger = await signUp(server)
    await server.database.pool.query('UPDATE real_user SET deleted_at = now() WHERE id = $1', [
      (await addChild(server, stranger.token)).real_user_id,
    ])
    expect(await submit(scores(1), stranger.token)).toMatchObject(notOwn)
    expect(await latest({ real_user_id: child }, stranger.token)).toMatchObject(notOwn)
    expect(await submit({ ...scores(1), real_user_id: 2 ** 31 - 1 })).toMatchObject(notOwn)
    expect(await latest({ real_user_id: 2 ** 31 - 1 })).toMatchObject(notOwn)
    await server.database.pool.query('UPDATE real_user SET deleted_at = now() WHERE id = $1', [child])
    expect(await submit(scores(1))).toMatchObject(notOwn)
    expect(await latest({ real_user_id: child })).toMatchObject(notOwn)
    expect(await latest({}, stranger.token)).toMatchObject({ body: { survey_analysis: [] } })
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

  test('a child that is no id', async () => {
    expect(await latest({ real_user_id: 'x' })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['query', 'real_user_id'] }] },
    })
  })

  test('tokens and accounts', async () => {
    const said = await refusalsByState(
      server,
      parent,
      (token) => latest({}, token),
      (token) => submit(scores(1), token),
    )
    expect(said).toEqual(stateRefusals)
  })
})
