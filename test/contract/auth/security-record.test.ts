import { randomUUID } from 'node:crypto'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { companion } from '../../support/command.ts'
import { anyEmail, anyPhone, PASSWORD, signIn, signUp, smsCode } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { confirmReset, resetToken } from '../../support/mailbox.ts'
import { startServer, useServer } from '../../support/server.ts'

const server = useServer()
const NEW = 'a brand new password'

const rows = async (where: { rootUserId?: number; requestId?: string }) => {
  const { sql } = server.database
  const all = await sql
    .selectFrom('security_record')
    .select(['recorded_at', 'root_user_id', 'action', 'reason', 'address', 'request_id'])
    .orderBy('id')
    .execute()
  return all.filter(
    (row) =>
      (where.rootUserId === undefined || row.root_user_id === where.rootUserId) &&
      (where.requestId === undefined || row.request_id === where.requestId),
  )
}
const actions = async (rootUserId: number) => (await rows({ rootUserId })).map(({ action }) => action)

test('a row says who, what, when to the millisecond, from where, and by which request', async () => {
  const account = await signUp(server)
  const requestId = randomUUID()
  const before = Date.now()
  await server.post('/api/v1/alpha/auth/email/signin', {
    form: { username: account.email, password: PASSWORD },
    headers: { 'x-request-id': requestId },
  })
  const [row] = await rows({ requestId })
  expect(row).toMatchObject({
    root_user_id: account.id,
    action: 'sign_in',
    reason: null,
    address: '127.0.0.1',
    request_id: requestId,
  })
  expect(row?.recorded_at.getTime()).toBeGreaterThanOrEqual(before)
  expect(row?.recorded_at.getTime()).toBeLessThanOrEqual(Date.now())
})

test('the whole life of an account is told in order', async () => {
  const account = await signUp(server)
  const { id, email } = account
  await signIn(server, email, 'wrong password')
  const signedIn = await signIn(server, email)
  const json = { current_password: PASSWORD, new_password: NEW }
  const changed = await server.post('/api/v1/beta/user/change-password', {
    token: signedIn.body.access_token,
    json,
  })
  await server.post('/api/v1/alpha/auth/refresh-token', { json: { refresh_token: account.refreshToken } })
  const token = changed.body.access_token
  const phone = anyPhone()
  await server.post('/api/v1/beta/user/change-phone', { token, json: { phone, validnum: 'wrong' } })
  await server.post('/api/v1/beta/user/change-phone', {
    token,
    json: { phone, validnum: await smsCode(server, phone) },
  })
  const code = await smsCode(server, phone, 'recovery')
  await server.post('/api/v1/alpha/auth/find-account', { json: { phone, validnum: code } })
  await confirmReset(server, await resetToken(server, email), PASSWORD)
  await companion(server, 'account', 'block', email)
  await signIn(server, email)
  await companion(server, 'account', 'unblock', email)
  const last = await signIn(server, email)
  await server.post('/api/v1/alpha/auth/signout', { token: last.body.access_token })
  await companion(server, 'account', 'export', email)
  await server.delete('/api/v1/beta/user/root-user', {
    token: (await signIn(server, email)).body.access_token,
  })
  expect(await actions(id)).toEqual([
    'sign_up',
    'sign_in_refused',
    'sign_in',
    'password_change',
    'refresh_refused',
    'phone_change_refused',
    'phone_change',
    'account_find',
    'password_reset_request',
    'password_reset',
    'account_block',
    'sign_in_refused',
    'account_unblock',
    'sign_in',
    'sign_out',
    'account_export',
    'sign_in',
    'account_delete',
  ])
})

test('a refusal says why, and nothing that the caller wrote', async () => {
  const { id, email } = await signUp(server)
  await signIn(server, email, 'my secret but wrong password')
  expect((await rows({ rootUserId: id })).at(-1)).toMatchObject({
    action: 'sign_in_refused',
    reason: '400 Password is invalid',
  })
  const unknown = anyEmail()
  await signIn(server, unknown)
  const all = JSON.stringify(await rows({}))
  for (const secret of [unknown, email, PASSWORD, 'my secret but wrong password'])
    expect(all).not.toContain(secret)
})

test('codes are told as sent, refused and used, by whom being unknown', async () => {
  const phone = anyPhone()
  const requestId = randomUUID()
  await server.post('/api/v1/alpha/auth/send-sms-auth', {
    json: { phone },
    headers: { 'x-request-id': requestId },
  })
  const post = (validnum: string) =>
    server.post('/api/v1/alpha/auth/phone-number-validation', {
      json: { phone, validnum },
      headers: { 'x-request-id': requestId },
    })
  await post('wrong')
  const { code = '' } = (await server.outbox()).at(-1) ?? {}
  await post(code)
  expect(await rows({ requestId })).toMatchObject([
    { action: 'code_send', reason: 'for signup', root_user_id: null },
    { action: 'code_verify_refused', reason: '400 Validation code is invalid' },
    { action: 'code_verify', reason: null },
  ])
})

test('consents, profile, children and devices changed are account changes too', async () => {
  const { id, token } = await signUp(server)
  await server.patch('/api/v1/beta/user/policy', { token, json: { is_marketing_agree: true } })
  await server.patch('/api/v1/beta/user/root-user', { token, json: { first_name: 'Canary Kim' } })
  expect((await actions(id)).slice(1)).toEqual(['consent_change', 'profile_change'])
  expect(JSON.stringify(await rows({ rootUserId: id }))).not.toContain('Canary')
})

test('an effect that is rolled back leaves no row that says it happened', async () => {
  const { id, email } = await signUp(server)
  const { pool } = server.database
  await pool.query(`ALTER TABLE session ADD CONSTRAINT refusal CHECK (root_user_id <> ${id}) NOT VALID`)
  expect((await signIn(server, email)).status).toBe(500)
  await pool.query('ALTER TABLE session DROP CONSTRAINT refusal')
  expect(await actions(id)).toEqual(['sign_up'])
})

test('the database refuses to change, delete or truncate it; only an address may go', async () => {
  const { id } = await signUp(server)
  const { pool } = server.database
  for (const statement of [
    `UPDATE security_record SET action = 'nothing' WHERE root_user_id = ${id}`,
    `UPDATE security_record SET address = '10.0.0.1' WHERE root_user_id = ${id}`,
    `UPDATE security_record SET address = NULL, reason = 'x' WHERE root_user_id = ${id}`,
    `DELETE FROM security_record WHERE root_user_id = ${id}`,
    'TRUNCATE security_record',
  ]) {
    await expect(pool.query(statement)).rejects.toThrow('append-only')
  }
  await pool.query(`UPDATE security_record SET address = NULL WHERE root_user_id = ${id}`)
  expect(await rows({ rootUserId: id })).toMatchObject([{ action: 'sign_up', address: null }])
})

test('the addresses of an account go with it', async () => {
  const { id, token } = await signUp(server)
  await server.delete('/api/v1/beta/user/root-user', { token })
  const kept = await rows({ rootUserId: id })
  expect(kept.map(({ action }) => action)).toEqual(['sign_up', 'account_delete'])
  expect(kept.every(({ address }) => address === null)).toBe(true)
})

let account: Account
beforeAll(async () => {
  account = await signUp(server)
  await signIn(server, account.email, 'wrong password')
})

test('companion audit shows it, of one account, of one kind, since a time', async () => {
  const everything = await companion(server, 'audit', '--email', account.email, '--json')
  expect(JSON.parse(everything.out)).toMatchObject([
    { action: 'sign_up', root_user_id: account.id },
    { action: 'sign_in_refused', reason: '400 Password is invalid', address: '127.0.0.1' },
  ])
  const one = await companion(
    server,
    'audit',
    '--account',
    String(account.id),
    '--action',
    'sign_up',
    '--limit',
    '5',
  )
  expect(one.out).toMatch(
    new RegExp(`^\\d{4}-\\d\\d-\\d\\dT[\\d:.]{12}Z  ${account.id}  sign_up  -  127.0.0.1  \\S+\n$`),
  )
  expect((await companion(server, 'audit', '--since', '2999-01-01', '--json')).out).toBe('[]\n')
  expect(await companion(server, 'audit', '--email', anyEmail())).toMatchObject({
    code: 1,
    said: 'There is no account with this e-mail\n',
  })
  expect((await companion(server, 'audit', '--since', 'yesterday')).code).toBe(1)
})

test('who goes on after a 429 is told of once a minute, and counted each time', async () => {
  const limited = await startServer({ RATE_LIMITS: 'on' })
  onTestFinished(async () => {
    vi.useRealTimers()
    await limited.stop()
  })
  const [one, other] = [await signUp(limited), await signUp(limited)]
  const refusals = async ({ id }: Account) => {
    const { rows } = await limited.database.pool.query(
      `SELECT FROM security_record WHERE root_user_id = $1 AND reason = '429 Too many requests'`,
      [id],
    )
    return rows.length
  }
  const counted = async () => {
    const { body } = await limited.get('/metrics')
    const series = 'companion_account_events_total{action="sign_in_refused",reason="429 Too many requests"} '
    const line = String(body)
      .split('\n')
      .find((each) => each.startsWith(series))
    return Number(line?.slice(series.length) ?? 0)
  }
  const before = await counted()
  const tries = async (account: Account, count: number) => {
    const statuses = []
    for (let n = 0; n < count; n += 1) {
      statuses.push((await signIn(limited, account.email, 'wrong password')).status)
    }
    return statuses
  }
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-01T12:00:10Z') })
  expect((await tries(one, 15)).slice(10)).toEqual(Array(5).fill(429))
  await tries(other, 12)
  expect(await Promise.all([one, other].map(refusals))).toEqual([1, 1])
  vi.setSystemTime('2026-03-01T12:01:10Z')
  await tries(one, 3)
  expect(await Promise.all([one, other].map(refusals))).toEqual([2, 1])
  expect((await counted()) - before).toBe(10)
})
