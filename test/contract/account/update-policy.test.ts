import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { signUp, signUpBody, validToken, anyPhone } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { inBetween } from '../../support/lock-waits.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const PATH = '/api/v1/beta/user/policy'
const TOKEN = 'fcm-token:0123456789'

let parent: Account
beforeEach(async () => {
  parent = await signUp(server)
})
afterEach(() => vi.useRealTimers())

const patch = (json: unknown, token = parent.token) => server.patch(PATH, { token, json })

const ledger = (id = parent.id) =>
  server.database.sql
    .selectFrom('consent')
    .select(['kind', 'old_value', 'new_value', 'source', 'recorded_at'])
    .where('root_user_id', '=', id)
    .orderBy('id')
    .execute()

const nothing = {
  is_push_agree: false,
  is_marketing_agree: false,
  push_agree_date: null,
  marketing_agree_date: null,
}

test('dates are null before the first agreement, and an empty call changes nothing', async () => {
  expect(await patch({})).toMatchObject({ status: 200, body: nothing })
  expect(await patch({ is_push_agree: false, is_marketing_agree: 0 })).toMatchObject({ body: nothing })
  expect(await ledger()).toHaveLength(2)
})

test('each consent has a date of its own that changes only when its value does', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const at = async (time: string, json: unknown) => {
    vi.setSystemTime(time)
    const { body } = await patch(json)
    return body
  }
  const start = new Date()
  const [t1, t2, t3] = [1, 2, 3].map((minutes) => new Date(start.getTime() + minutes * 60_000).toISOString())
  if (!t1 || !t2 || !t3) throw new Error('no times')
  expect(await at(t1, { is_marketing_agree: true })).toEqual({
    ...nothing,
    is_marketing_agree: true,
    marketing_agree_date: t1,
  })
  expect(await at(t2, { is_marketing_agree: 1, is_push_agree: true, push_token: TOKEN })).toEqual({
    is_push_agree: true,
    is_marketing_agree: true,
    push_agree_date: t2,
    marketing_agree_date: t1,
  })
  expect(await at(t3, { is_marketing_agree: false })).toEqual({
    is_push_agree: true,
    is_marketing_agree: false,
    push_agree_date: t2,
    marketing_agree_date: t3,
  })
  expect((await ledger()).slice(2)).toEqual([
    { kind: 'marketing', old_value: false, new_value: true, source: 'settings', recorded_at: new Date(t1) },
    { kind: 'push', old_value: false, new_value: true, source: 'settings', recorded_at: new Date(t2) },
    { kind: 'marketing', old_value: true, new_value: false, source: 'settings', recorded_at: new Date(t3) },
  ])
})

test('consents given at sign-up are in the ledger, with their date', async () => {
  const phone = anyPhone()
  const { body } = await server.post('/api/v1/alpha/auth/email/signup', {
    token: await validToken(server, phone),
    json: { ...signUpBody(phone), is_push_agree: 1 },
  })
  expect(await ledger(body.id)).toMatchObject([
    { kind: 'push', old_value: null, new_value: true, source: 'sign-up' },
    { kind: 'marketing', old_value: null, new_value: false, source: 'sign-up' },
  ])
  const policy = await patch({}, body.access_token)
  expect(policy.body).toMatchObject({
    is_push_agree: true,
    push_agree_date: expect.stringMatching(/\.\d{3}Z$/),
  })
  expect(policy.body.marketing_agree_date).toBeNull()
})

test('agreeing to push needs a token, stored before or in the call; an error changes nothing', async () => {
  const refused = { status: 409, body: { detail: 'User policy update failed' } }
  expect(await patch({ is_push_agree: true, is_marketing_agree: true })).toMatchObject(refused)
  expect(await patch({ is_push_agree: true, push_token: 'short' })).toMatchObject(refused)
  expect(await patch({ is_push_agree: true, push_token: 'with a space in between' })).toMatchObject(refused)
  expect((await patch({})).body).toEqual(nothing)

  expect((await patch({ is_push_agree: true, push_token: TOKEN })).body.is_push_agree).toBe(true)
  expect((await patch({ is_push_agree: false })).body.is_push_agree).toBe(false)
  // The token has survived the withdrawal.
  expect((await patch({ is_push_agree: true })).body.is_push_agree).toBe(true)
})

test('a token without agreement is not stored', async () => {
  await patch({ push_token: TOKEN })
  await patch({ is_push_agree: false, push_token: TOKEN })
  expect((await patch({ is_push_agree: true })).status).toBe(409)
})

test.each(['false', 'true', 'no', null, 2, '1', [], {}])('%j is no consent: 422', async (value) => {
  for (const field of ['is_push_agree', 'is_marketing_agree']) {
    const { status, body } = await patch({ [field]: value, push_token: TOKEN })
    expect(status).toBe(422)
    expect(body.detail[0].loc).toEqual(['body', field])
  }
  expect((await patch({})).body).toEqual(nothing)
})

test('the token is never echoed', async () => {
  const { status, body } = await patch({ push_token: 12 })
  expect(status).toBe(422)
  expect(body.detail[0].input).toBeNull()
})

test('parallel changes are written one after the other, each old value the one before', async () => {
  await patch({ is_push_agree: true, push_token: TOKEN })
  await Promise.all(Array.from({ length: 20 }, (_, n) => patch({ is_push_agree: n % 2 === 0 })))
  const push = (await ledger()).filter(({ kind }) => kind === 'push')
  for (const [n, row] of push.entries()) expect(row.old_value).toBe(n === 0 ? null : push[n - 1]?.new_value)
})

test('the ledger can only grow', async () => {
  const { pool } = server.database
  await expect(pool.query('UPDATE consent SET new_value = true, old_value = false')).rejects.toThrow(
    'append-only',
  )
  await expect(pool.query('DELETE FROM consent')).rejects.toThrow('append-only')
})

test('it goes only with the account, when that is purged', async () => {
  await server.database.pool.query('DELETE FROM root_user WHERE id = $1', [parent.id])
  expect(await ledger()).toEqual([])
})

test('an account that is deleted in between is 404 `User not found`', async () => {
  const response = await inBetween(server, {
    lock: `SELECT FROM root_user WHERE id = ${parent.id} FOR UPDATE`,
    change: `UPDATE root_user SET deleted_at = now() WHERE id = ${parent.id}`,
    call: () => patch({ is_marketing_agree: true }),
  })
  expect(response).toMatchObject({ status: 404, body: { detail: 'User not found' } })
})

test('an account without any consent on record is 404 `User policy not found`', async () => {
  const { pool } = server.database
  await pool.query('ALTER TABLE consent DISABLE TRIGGER forbid_consent_change')
  await pool.query('DELETE FROM consent WHERE root_user_id = $1', [parent.id])
  await pool.query('ALTER TABLE consent ENABLE TRIGGER forbid_consent_change')
  expect(await patch({})).toMatchObject({ status: 404, body: { detail: 'User policy not found' } })
})

test('each change is in the security record, and no call that changes nothing', async () => {
  await patch({ is_marketing_agree: true })
  await patch({ is_marketing_agree: true })
  await patch({ is_push_agree: true, is_marketing_agree: false, push_token: TOKEN })
  const { rows } = await server.database.pool.query(
    `SELECT reason FROM security_record WHERE root_user_id = $1 AND action = 'consent_change' ORDER BY id`,
    [parent.id],
  )
  expect(rows).toEqual([{ reason: 'marketing given' }, { reason: 'push given,marketing withdrawn' }])
})
