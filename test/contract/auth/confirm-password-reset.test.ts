import { afterEach, expect, test, vi } from 'vitest'
import { PASSWORD, signIn, signUp } from '../../support/family.ts'
import { confirmReset, resetToken } from '../../support/outside/mailbox.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const NEW = 'a brand new password'
const invalid = { status: 400, body: { detail: 'Reset token is invalid' } }
const MINUTE = 60_000

afterEach(() => {
  vi.useRealTimers()
})

test('a token works once', async () => {
  const { email } = await signUp(server)
  const token = await resetToken(server, email)
  expect((await confirmReset(server, token, NEW)).status).toBe(200)
  expect(await confirmReset(server, token, 'yet another password')).toMatchObject(invalid)
  expect((await signIn(server, email, NEW)).status).toBe(200)
})

test('a new password ends the session that was there, access token and all', async () => {
  const { email, token, refreshToken } = await signUp(server)
  await confirmReset(server, await resetToken(server, email), NEW)
  expect(await server.get('/api/v1/beta/user/me', { token })).toMatchObject({
    status: 401,
    body: { detail: 'Could not validate credentials' },
  })
  const json = { refresh_token: refreshToken }
  expect(await server.post('/api/v1/alpha/auth/refresh-token', { json })).toMatchObject({
    status: 401,
    body: { detail: 'Refresh token is not valid' },
  })
})

test('used 20 times at once, a token works once', async () => {
  const { email } = await signUp(server)
  const token = await resetToken(server, email)
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, n) => confirmReset(server, token, `new password ${n}`)),
  )
  const right = responses.findIndex(({ status }) => status === 200)
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(responses.filter(({ status }) => status === 400)).toHaveLength(19)
  expect((await signIn(server, email, `new password ${right}`)).status).toBe(200)
})

test('a token lives 30 minutes', async () => {
  const { email } = await signUp(server)
  const [early, late] = [await resetToken(server, email), await resetToken(server, email)]
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30 * MINUTE })
  expect(await confirmReset(server, late, NEW)).toMatchObject(invalid)
  vi.setSystemTime(Date.now() - MINUTE)
  expect((await confirmReset(server, early, NEW)).status).toBe(200)
})

test('the token of an older mail works too, until the password is changed by another', async () => {
  const { email } = await signUp(server)
  const [older, newer, last] = [
    await resetToken(server, email),
    await resetToken(server, email),
    await resetToken(server, email),
  ]
  expect((await confirmReset(server, older, NEW)).status).toBe(200)
  for (const token of [newer, last])
    expect(await confirmReset(server, token, PASSWORD)).toMatchObject(invalid)
})

test('a changed password makes mails that were sent before worthless', async () => {
  const { email, token } = await signUp(server)
  const sent = await resetToken(server, email)
  const json = { current_password: PASSWORD, new_password: NEW }
  await server.post('/api/v1/beta/user/change-password', { token, json })
  expect(await confirmReset(server, sent, 'yet another password')).toMatchObject(invalid)
})

test('the token of a deleted account is dead', async () => {
  const { email, token } = await signUp(server)
  const sent = await resetToken(server, email)
  await server.delete('/api/v1/beta/user/root-user', { token })
  expect(await confirmReset(server, sent, NEW)).toMatchObject(invalid)
})

test('a blocked account stays blocked', async () => {
  const { id, email } = await signUp(server)
  await server.database.sql
    .updateTable('root_user')
    .set({ blocked_at: new Date() })
    .where('id', '=', id)
    .execute()
  await confirmReset(server, await resetToken(server, email), NEW)
  expect(await signIn(server, email, NEW)).toMatchObject({ status: 423 })
})

test.each(['', 'guess', 'x'.repeat(5000), '\u0000'])('token %j is invalid', async (token) => {
  expect(await confirmReset(server, token, NEW)).toMatchObject(invalid)
})

test.each(['1234567', 'x'.repeat(129), 'with\u0000nul'])(
  'password %j is a validation error, which uses nothing up and repeats nothing',
  async (password) => {
    const { email } = await signUp(server)
    const token = await resetToken(server, email)
    const { status, body } = await confirmReset(server, token, password)
    expect(status).toBe(422)
    expect(body.detail[0]).toMatchObject({ loc: ['body', 'password'], input: null })
    expect((await confirmReset(server, token, NEW)).status).toBe(200)
  },
)

test('need_to_pwd_change is over once the password is reset', async () => {
  const { id, email } = await signUp(server)
  await server.database.sql
    .updateTable('root_user')
    .set({ password_changed_at: new Date('2020-01-01') })
    .where('id', '=', id)
    .execute()
  const me = async (password: string) => {
    const { body } = await signIn(server, email, password)
    return (await server.get('/api/v1/beta/user/me', { token: body.access_token })).body.need_to_pwd_change
  }
  expect(await me(PASSWORD)).toBe(true)
  await confirmReset(server, await resetToken(server, email), NEW)
  expect(await me(NEW)).toBe(false)
})
