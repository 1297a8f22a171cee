import { beforeEach, describe, expect, test } from 'vitest'
import { errorsByState, stateErrors } from '../../support/account-states.ts'
import { signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { inBetween } from '../../support/lock-waits.ts'
import { useServer } from '../../support/server.ts'

const PATH = '/api/v1/beta/user/consent'

const server = useServer()
let parent: Account
beforeEach(async () => {
  parent = await signUp(server)
})

const say = (json: unknown, token = parent.token) => server.post(PATH, { token, json })
const ledger = async () => {
  const { body } = await server.get(PATH, { token: parent.token })
  return body.filter(({ version }: { version: string | null }) => version !== null)
}

test('each change is kept with its version; what is in force already changes nothing', async () => {
  const first = await say({ kind: 'terms', version: '2026-01', given: true })
  expect(first).toMatchObject({
    status: 200,
    body: { kind: 'terms', version: '2026-01', given: true, source: 'app' },
  })
  expect(await say({ kind: 'terms', version: '2026-01', given: 1 })).toEqual(
    expect.objectContaining({ status: 200, body: first.body }),
  )
  await say({ kind: 'health-data', version: 'a', given: false })
  await say({ kind: 'terms', version: '2026-11', given: true })
  await say({ kind: 'terms', version: '2026-11', given: false })
  expect(await ledger()).toMatchObject([
    { kind: 'terms', version: '2026-11', given: false },
    { kind: 'terms', version: '2026-11', given: true },
    { kind: 'health-data', version: 'a', given: false },
    { kind: 'terms', version: '2026-01', given: true },
  ])
  const { rows } = await server.database.pool.query(
    `SELECT reason FROM security_record WHERE root_user_id = $1 AND action = 'consent_change' ORDER BY id`,
    [parent.id],
  )
  expect(rows.map(({ reason }) => reason)).toEqual([
    'terms given',
    'health-data withdrawn',
    'terms given',
    'terms withdrawn',
  ])
})

test('of twenty calls at once that say the same, one is kept', async () => {
  const calls = Array.from({ length: 20 }, () => say({ kind: 'privacy', version: '1', given: true }))
  for (const { status } of await Promise.all(calls)) expect(status).toBe(200)
  expect(await ledger()).toHaveLength(1)
})

test.each([
  [{ kind: 'push', version: '1', given: true }, 'kind'],
  [{ kind: 'terms', given: true }, 'version'],
  [{ kind: 'terms', version: '', given: true }, 'version'],
  [{ kind: 'terms', version: 'x'.repeat(51), given: true }, 'version'],
  [{ kind: 'terms', version: 'a\nb', given: true }, 'version'],
  [{ kind: 'terms', version: '1' }, 'given'],
  [{ kind: 'terms', version: '1', given: 'true' }, 'given'],
])('%j is refused, and nothing is kept', async (json, field) => {
  const { status, body } = await say(json)
  expect(status).toBe(422)
  expect(body.detail).toMatchObject([{ loc: ['body', field] }])
  expect(await ledger()).toEqual([])
})

test('an account that is deleted in between is refused', async () => {
  const response = await inBetween(server, {
    lock: `SELECT FROM root_user WHERE id = ${parent.id} FOR UPDATE`,
    change: `UPDATE root_user SET deleted_at = now() WHERE id = ${parent.id}`,
    call: () => say({ kind: 'terms', version: '1', given: true }),
  })
  expect(response).toMatchObject({ status: 401, body: { detail: 'User is Deleted' } })
})

test('tokens and accounts are judged', async () => {
  const call = (token?: string) => say({ kind: 'terms', version: '1', given: true }, token)
  expect(await errorsByState(server, parent, call)).toEqual(stateErrors)
})

describe('with versions in force', () => {
  const strict = useServer({ CONSENT_VERSIONS: '{"terms": "2", "health-data": "1"}' })

  test('need_personal_info_update is true until each is given, and again after one is withdrawn', async () => {
    const account = await signUp(strict)
    const needed = async () =>
      (await strict.get('/api/v1/beta/user/me', { token: account.token })).body.need_personal_info_update
    const give = (kind: string, version: string, given = true) =>
      strict.post(PATH, { token: account.token, json: { kind, version, given } })
    expect(await needed()).toBe(true)
    await give('terms', '1')
    await give('health-data', '1')
    expect(await needed()).toBe(true)
    await give('terms', '2')
    expect(await needed()).toBe(false)
    await give('privacy', '7')
    expect(await needed()).toBe(false)
    await give('health-data', '1', false)
    expect(await needed()).toBe(true)
    await strict.patch('/api/v1/beta/user/root-user', { token: account.token, json: { first_name: 'Yuna' } })
    expect(await needed()).toBe(true)
    await give('health-data', '1')
    expect(await needed()).toBe(false)
  })

  test('the account says which are missing', async () => {
    const account = await signUp(strict)
    const missing = async () =>
      (await strict.get('/api/v1/beta/user/me', { token: account.token })).body.missing_consents
    const give = (kind: string, version: string) =>
      strict.post(PATH, { token: account.token, json: { kind, version, given: true } })
    const [terms, health] = [
      { kind: 'terms', version: '2' },
      { kind: 'health-data', version: '1' },
    ]
    expect(await missing()).toEqual([terms, health])
    await give('terms', '1')
    expect(await missing()).toEqual([terms, health])
    await give('health-data', '1')
    expect(await missing()).toEqual([terms])
    await give('terms', '2')
    expect(await missing()).toBe(undefined)
  })
})

test('without versions in force nothing is needed', async () => {
  await say({ kind: 'terms', version: '1', given: false })
  const { body } = await server.get('/api/v1/beta/user/me', { token: parent.token })
  expect(body.need_personal_info_update).toBe(false)
})
