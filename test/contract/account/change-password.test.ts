import { expect, test } from 'vitest'
import { PASSWORD, signIn, signUp } from '../../support/family.ts'
import { startServer, useServer } from '../../support/server.ts'
import type { TestServer } from '../../support/server.ts'

const server = useServer()
const NEW = 'a brand new password'
const invalid = { status: 400, body: { detail: 'Password is invalid' } }
const change = (
  token: string,
  current_password: unknown,
  new_password: unknown = NEW,
  at: TestServer = server,
) => at.post('/api/v1/beta/user/change-password', { token, json: { current_password, new_password } })
const me = (token: string) => server.get('/api/v1/beta/user/me', { token })
const refresh = (refresh_token: string) =>
  server.post('/api/v1/alpha/auth/refresh-token', { json: { refresh_token } })

test('the caller stays signed in by the new pair, everything older is dead', async () => {
  const account = await signUp(server)
  const { status, body } = await change(account.token, PASSWORD)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    id: account.id,
    token_type: 'bearer',
    expires_in: 900,
    refresh_expires_in: 1_209_600,
  })
  expect(await me(account.token)).toMatchObject({
    status: 401,
    body: { detail: 'Could not validate credentials' },
  })
  expect((await me(body.access_token)).status).toBe(200)
  expect((await refresh(body.refresh_token)).status).toBe(200)
  expect((await signIn(server, account.email, PASSWORD)).status).toBe(400)
  expect((await signIn(server, account.email, NEW)).status).toBe(200)
})

test('the older refresh token is refused, and the new session goes on', async () => {
  const account = await signUp(server)
  const { body } = await change(account.token, PASSWORD)
  expect(await refresh(account.refreshToken)).toMatchObject({
    status: 401,
    body: { detail: 'Refresh token is not valid' },
  })
  expect((await refresh(body.refresh_token)).status).toBe(200)
})

test('a wrong current password changes nothing', async () => {
  const account = await signUp(server)
  expect(await change(account.token, 'not the password')).toMatchObject(invalid)
  expect((await me(account.token)).status).toBe(200)
})

test('of 10 changes at once one succeeds', async () => {
  const account = await signUp(server)
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, n) => change(account.token, PASSWORD, `new password ${n}`)),
  )
  const right = responses.findIndex(({ status }) => status === 200)
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
  expect((await signIn(server, account.email, `new password ${right}`)).status).toBe(200)
})

test('a phone in the wrong hands may guess 10 times in 15 minutes', async () => {
  const limited = await startServer({ RATE_LIMITS: 'on' })
  try {
    const account = await signUp(limited)
    for (let guess = 0; guess < 10; guess += 1) {
      expect((await change(account.token, `guess ${guess}`, NEW, limited)).status).toBe(400)
    }
    expect(await change(account.token, PASSWORD, NEW, limited)).toMatchObject({ status: 429 })
    // And keeps nobody from signing in.
    expect((await signIn(limited, account.email, PASSWORD)).status).toBe(200)
  } finally {
    await limited.stop()
  }
})

test.each([
  ['current_password', undefined, NEW],
  ['new_password', PASSWORD, '1234567'],
  ['new_password', PASSWORD, 'x'.repeat(129)],
  ['new_password', PASSWORD, undefined],
])('a invalid %s is a validation error that repeats nothing', async (field, current, next) => {
  const { token } = await signUp(server)
  const json = { current_password: current, new_password: next }
  const { status, body } = await server.post('/api/v1/beta/user/change-password', { token, json })
  expect(status).toBe(422)
  expect(body.detail[0]).toMatchObject({ loc: ['body', field], input: null })
})
