import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { errorsByState, stateErrors } from '../../support/account-states.ts'
import { addChild, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'
import { scores, surveys } from '../../support/surveys.ts'

const server = useServer()
const { submit, ...calls } = surveys(server)
const notOwn = { status: 401, body: { detail: 'Not authorized user' } }

let parent: Account
let child: number
beforeEach(async () => {
  parent = await signUp(server)
  child = (await addChild(server, parent.token)).real_user_id
})
afterEach(() => void vi.useRealTimers())

const latest = (query: Record<string, string | number> = {}, token = parent.token) =>
  calls.latest({ token }, query)
const attention = ({ body }: Awaited<ReturnType<typeof latest>>) =>
  body.survey_analysis.map(({ attention_score }: { attention_score: number }) => attention_score)

test('a survey has its scores and its time, and nothing else', async () => {
  const { body } = await submit(parent, { real_user_id: child, ...scores(12) })
  expect((await latest()).body).toEqual({
    survey_analysis: [{ ...scores(12), created_at: body.created_at }],
  })
})

test('the analysis is the latest five, newest first, also within one millisecond', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  for (let n = 1; n <= 7; n++) {
    if (n < 5) vi.setSystemTime(Date.now() + 1000)
    await submit(parent, { real_user_id: child, ...scores(n) })
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
    await submit(parent, { real_user_id, ...scores(n) })
  }
  await submit(stranger, { real_user_id: foreign, ...scores(99) })
  expect(attention(await latest())).toEqual([6, 5, 4, 3, 2])
  expect(attention(await latest({ real_user_id: child }))).toEqual([6, 4, 2, 1, 0])
  expect(attention(await latest({ real_user_id: second }))).toEqual([5, 3])
  expect(attention(await latest({}, stranger.token))).toEqual([99])
})

test('no survey is an empty analysis', async () => {
  expect(await latest()).toMatchObject({ status: 200, body: { survey_analysis: [] } })
  expect(await latest({ real_user_id: child })).toMatchObject({ status: 200, body: { survey_analysis: [] } })
})

describe('errors', () => {
  test("an absent child, a deleted one and another family's", async () => {
    const stranger = await signUp(server)
    await server.database.pool.query('UPDATE real_user SET deleted_at = now() WHERE id = $1', [
      (await addChild(server, stranger.token)).real_user_id,
    ])
    expect(await latest({ real_user_id: child }, stranger.token)).toMatchObject(notOwn)
    expect(await latest({ real_user_id: 2 ** 31 - 1 })).toMatchObject(notOwn)
    await server.database.pool.query('UPDATE real_user SET deleted_at = now() WHERE id = $1', [child])
    expect(await latest({ real_user_id: child })).toMatchObject(notOwn)
    expect(await latest({}, stranger.token)).toMatchObject({ body: { survey_analysis: [] } })
  })

  test('a child that is no id', async () => {
    expect(await latest({ real_user_id: 'x' })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['query', 'real_user_id'] }] },
    })
  })

  test('tokens and accounts', async () => {
    expect(await errorsByState(server, parent, (token) => latest({}, token))).toEqual(stateErrors)
  })
})
