import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { anyEmail, anyPhone, PASSWORD, signIn, signUp, signUpBody, validToken } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { inBetween } from '../../support/lock-waits.ts'
import { startServer, useServer } from '../../support/server.ts'
import { tally } from '../../support/response-tally.ts'

const server = useServer()

afterEach(() => {
  vi.useRealTimers()
})
const wait = (milliseconds: number) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds })
}

const set = (
  account: Account,
  values: {
    blocked_at?: Date | null
    is_signup_completed?: boolean
    is_phone_number_checked?: boolean
    password_hash?: null
  },
) => server.database.sql.updateTable('root_user').set(values).where('id', '=', account.id).execute()

const error = (status: number, detail: string) => ({ status, body: { detail } })

test('a signed-up parent signs in, however the e-mail is written', async () => {
  const account = await signUp(server)
  const { status, body } = await signIn(server, account.email.toUpperCase())
  expect(status).toBe(200)
  expect(body).toEqual({
    access_token: expect.any(String),
    refresh_token: expect.any(String),
    id: account.id,
    expires_in: 900,
    refresh_expires_in: 1_209_600,
    token_type: 'bearer',
  })
})

test('an unknown e-mail', async () => {
  expect(await signIn(server, anyEmail())).toMatchObject(error(404, 'User not found'))
  expect(await signIn(server, '')).toMatchObject(error(404, 'User not found'))
})

test('a wrong password, and an account without one', async () => {
  const account = await signUp(server)
  for (const wrong of [`${PASSWORD} `, PASSWORD.toUpperCase(), '', 'x'.repeat(1000)]) {
    expect(await signIn(server, account.email, wrong)).toMatchObject(error(400, 'Password is invalid'))
  }
  await set(account, { password_hash: null })
  expect(await signIn(server, account.email)).toMatchObject(error(400, 'Password is invalid'))
})

test('the states of an account are told in order, after the password', async () => {
  const account = await signUp(server)
  await set(account, { blocked_at: new Date(), is_signup_completed: false, is_phone_number_checked: false })
  expect(await signIn(server, account.email, 'wrong password')).toMatchObject(
    error(400, 'Password is invalid'),
  )
  expect(await signIn(server, account.email)).toMatchObject(error(423, 'Access denied. Account blocked'))
  await set(account, { blocked_at: null })
  expect(await signIn(server, account.email)).toMatchObject(error(401, 'Sign-up not completed'))
  await set(account, { is_signup_completed: true })
  expect(await signIn(server, account.email)).toMatchObject(error(403, 'SMS verification required'))
  await set(account, { is_phone_number_checked: true })
  expect((await signIn(server, account.email)).status).toBe(200)
})

test('a deleted account is gone for good after TOMBSTONE_DAYS', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const { email, token } = await signUp(server)
  await server.delete('/api/v1/beta/user/root-user', { token })
  expect(await signIn(server, email)).toMatchObject(error(410, 'User is Deleted'))
  expect(await signIn(server, email.toUpperCase(), 'wrong password')).toMatchObject(
    error(410, 'User is Deleted'),
  )
  wait(365 * 86_400_000 - 1)
  expect(await signIn(server, email)).toMatchObject(error(410, 'User is Deleted'))
  wait(1)
  expect(await signIn(server, email)).toMatchObject(error(404, 'User not found'))
})

test('a password that is changed while it is compared does not let in', async () => {
  const account = await signUp(server)
  const response = await inBetween(server, {
    lock: `SELECT FROM root_user WHERE id = ${account.id} FOR UPDATE`,
    change: `UPDATE root_user SET password_hash = 'another' WHERE id = ${account.id}`,
    call: () => signIn(server, account.email),
  })
  expect(response).toMatchObject(error(400, 'Password is invalid'))
})

test('a sign-in that runs while the account is deleted leaves no session behind', async () => {
  const { id, email, token } = await signUp(server)
  const [deleted, ...signedIn] = await Promise.all([
    server.delete('/api/v1/beta/user/root-user', { token }),
    ...Array.from({ length: 8 }, () => signIn(server, email)),
  ])
  expect(deleted?.status).toBe(200)
  for (const { status, body } of signedIn)
    expect([status, body.detail]).toBeOneOf([
      [200, undefined],
      [410, 'User is Deleted'],
    ])
  const sessions = await server.database.sql
    .selectFrom('session')
    .select('root_user_id')
    .where('root_user_id', '=', id)
    .execute()
  expect(sessions).toEqual([])
})

test('a password may be composed by another keyboard', async () => {
  const [phone, email] = [anyPhone(), anyEmail()]
  const json = { ...signUpBody(phone, email), password: 'Müllerstraße 안녕'.normalize('NFD') }
  const token = await validToken(server, phone)
  expect((await server.post('/api/v1/alpha/auth/email/signup', { token, json })).status).toBe(200)
  expect((await signIn(server, email, 'Müllerstraße 안녕'.normalize('NFC'))).status).toBe(200)
  expect((await signIn(server, email, 'Mullerstraße 안녕')).status).toBe(400)
})

test('a second sign-in ends the session of the first, whose access token lives on', async () => {
  const first = await signUp(server)
  const { body: second } = await signIn(server, first.email)
  const me = (token: string) => server.get('/api/v1/beta/user/me', { token })
  expect((await me(first.token)).status).toBe(200)
  expect((await me(second.access_token)).status).toBe(200)
  const refresh = (refresh_token: string) =>
    server.post('/api/v1/alpha/auth/refresh-token', { json: { refresh_token } })
  expect((await refresh(second.refresh_token)).status).toBe(200)
  expect(await refresh(first.refreshToken)).toMatchObject(error(401, 'Refresh token is not valid'))
})

test('20 sign-ins at once all succeed, and the last one written holds the session', async () => {
  const { id, email } = await signUp(server)
  const responses = await Promise.all(Array.from({ length: 20 }, () => signIn(server, email)))
  expect(tally(responses)).toEqual({ 200: 20 })
  const sessions = await server.database.sql
    .selectFrom('session')
    .select('root_user_id')
    .where('root_user_id', '=', id)
    .execute()
  expect(sessions).toHaveLength(1)
})

describe('what is sent', () => {
  const path = '/api/v1/alpha/auth/email/signin'
  test('is a form, or JSON with the same fields', async () => {
    const { email } = await signUp(server)
    const body = new URLSearchParams({ username: email, password: PASSWORD }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' }
    expect((await server.post(path, { body, headers })).status).toBe(200)
    const send = (json: unknown) => server.post(path, { json })
    expect((await send({ username: email, password: PASSWORD })).status).toBe(200)
    expect(await send({ username: email, password: 'wrong password' })).toMatchObject(
      error(400, 'Password is invalid'),
    )
    const issue = { type: 'missing', loc: ['body', 'password'], input: null }
    expect(await send({ username: email })).toMatchObject({ status: 422, body: { detail: [issue] } })
    const broken = { body: `{"username":"${email}"`, headers: { 'content-type': 'application/json' } }
    expect(await server.post(path, broken)).toMatchObject(error(400, 'Request body is not valid JSON'))
    expect(await server.post(path, { body, headers: { 'content-type': 'text/plain' } })).toMatchObject(
      error(415, 'Unsupported media type'),
    )
  })

  test.each([
    ['username', 'password=12345678'],
    ['password', 'username=a'],
    ['username', 'username=a&username=b&password=12345678'],
    ['password', 'username=a&password=12345678&password=87654321'],
    ['username', 'username=a%00b&password=12345678'],
    ['password', 'username=a&password=1234567%008'],
    ['username', `username=${'a'.repeat(321)}&password=12345678`],
    ['password', `username=a&password=${'a'.repeat(1001)}`],
  ])('lacks or breaks %s: %s', async (field, body) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const response = await server.post(path, { body, headers })
    expect(response).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', field] }] } })
    expect(JSON.stringify(response.body)).not.toContain('345678')
  })

  test('may have more fields than are known, but not without end', async () => {
    const { email } = await signUp(server)
    const form = { username: email, password: PASSWORD, grant_type: 'password', __proto__x: '1' }
    expect((await server.post(path, { form })).status).toBe(200)
    const body = `username=${email}${'&a=1'.repeat(2000)}`
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await server.post(path, { body, headers })).toMatchObject(error(413, 'Request body is too large'))
  })
})

describe('limits', () => {
  const limited = useServer({ RATE_LIMITS: 'on', TRUST_PROXY: '1' })
  const tooMany = error(429, 'Too many requests')

  test('10 failed sign-ins hold an account for 15 minutes, in every process and every spelling of the e-mail', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const other = await startServer({ RATE_LIMITS: 'on' }, limited.databaseUrl)
    onTestFinished(() => other.stop())
    const { email } = await signUp(limited)
    for (let n = 0; n < 9; n++) expect((await signIn(limited, email, 'wrong password')).status).toBe(400)
    // A right one is no failure and forgives none.
    expect((await signIn(limited, email)).status).toBe(200)
    expect((await signIn(other, email.toUpperCase(), 'wrong password')).status).toBe(400)
    const refused = await signIn(limited, email)
    expect(refused).toMatchObject(tooMany)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(900)
    expect(await signIn(other, email.toUpperCase())).toMatchObject(tooMany)
    wait(15 * 60_000)
    expect((await signIn(limited, email)).status).toBe(200)
  })

  test('guesses sent at once cannot exceed it, and other accounts are not held', async () => {
    const [victim, other] = [await signUp(limited), await signUp(limited)]
    const responses = await Promise.all(
      Array.from({ length: 25 }, () => signIn(limited, victim.email, 'wrong password')),
    )
    expect(tally(responses)).toEqual({ '400 Password is invalid': 10, '429 Too many requests': 15 })
    expect((await signIn(limited, other.email)).status).toBe(200)
  })
})
