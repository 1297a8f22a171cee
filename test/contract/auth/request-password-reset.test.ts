import { afterEach, expect, test, vi } from 'vitest'
import { anyEmail, PASSWORD, signIn, signUp, signUpBody, validToken, anyPhone } from '../../support/family.ts'
import { confirmAddress, confirmReset, resetLink, resetToken } from '../../support/outside/mailbox.ts'
import { startServer, useServer } from '../../support/server.ts'

const server = useServer()
const PATH = '/api/v1/alpha/auth/email/password-reset'
const NEW = 'a brand new password'

afterEach(() => {
  vi.useRealTimers()
})

test('a parent who forgot the password gets a mail, sets a new one and is in', async () => {
  const account = await signUp(server)
  await confirmAddress(server, account.email)
  const { status, body } = await server.post(PATH, { json: { email: account.email.toUpperCase() } })
  expect(status).toBe(200)
  expect(body).toEqual({ statusCode: 200, message: expect.stringContaining('sent') })
  const mail = (await server.outbox()).findLast(({ to }) => to === account.email)
  expect(mail).toMatchObject({ channel: 'email', subject: 'Companion 비밀번호 재설정' })
  const link = new URL(mail?.['link'] ?? '')
  expect(link.origin).toBe(server.url)
  expect(mail?.['text']).toContain(link.href)

  const reset = await confirmReset(server, link.searchParams.get('token') ?? '', NEW)
  expect(reset).toMatchObject({ status: 200, body: { statusCode: 200, message: 'Password changed' } })
  expect((await signIn(server, account.email, PASSWORD)).body).toEqual({ detail: 'Password is invalid' })
  expect((await signIn(server, account.email, NEW)).status).toBe(200)
})

test('a reset ends the session and kills every access token', async () => {
  const account = await signUp(server)
  await confirmReset(server, await resetToken(server, account.email), NEW)
  expect(await server.get('/api/v1/beta/user/me', { token: account.token })).toMatchObject({
    status: 401,
    body: { detail: 'Could not validate credentials' },
  })
  expect(
    await server.post('/api/v1/alpha/auth/refresh-token', { json: { refresh_token: account.refreshToken } }),
  ).toMatchObject({ status: 401, body: { detail: 'Refresh token is not valid' } })
})

test.each([
  ['en-US,en;q=0.9', 'Your new Companion password'],
  ['ko-KR', 'Companion 비밀번호 재설정'],
  // Nothing that is spoken here: the language of the account's country.
  ['fr', 'Companion 비밀번호 재설정'],
])('the mail for Accept-Language %s is called %s', async (accepted, subject) => {
  const { email } = await signUp(server)
  await server.post(PATH, { json: { email }, headers: { 'accept-language': accepted } })
  expect((await server.outbox()).findLast(({ to }) => to === email)).toMatchObject({ subject })
})

test('an unknown and a deleted e-mail have no account', async () => {
  const account = await signUp(server)
  await server.delete('/api/v1/beta/user/root-user', { token: account.token })
  for (const email of [anyEmail(), account.email, 'no address', '']) {
    expect(await server.post(PATH, { json: { email } })).toMatchObject({
      status: 404,
      body: { detail: 'User ID not found' },
    })
  }
})

test('a social account has no password to reset', async () => {
  const phone = anyPhone()
  const body = { ...signUpBody(phone), register_type: 'S' }
  await server.post('/api/v1/alpha/auth/email/signup', { token: await validToken(server, phone), json: body })
  expect(await server.post(PATH, { json: { email: body.email } })).toMatchObject({
    status: 400,
    body: { detail: 'User signed up using a social account' },
  })
})

test('3 mails an hour, for each e-mail by itself', async () => {
  const limited = await startServer({ RATE_LIMITS: 'on' })
  try {
    const [one, other] = [await signUp(limited), await signUp(limited)]
    const ask = ({ email }: { email: string }) => limited.post(PATH, { json: { email } })
    for (let time = 0; time < 3; time += 1) expect((await ask(one)).status).toBe(200)
    const refused = await ask({ email: one.email.toUpperCase() })
    expect(refused).toMatchObject({ status: 429, body: { detail: 'Too many requests' } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500)
    expect((await ask(other)).status).toBe(200)
    // Nor do others at the address pay for who goes on asking.
    for (let time = 0; time < 100; time += 1) await ask(one)
    expect((await ask(other)).status).toBe(200)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_601_000 })
    expect((await ask(one)).status).toBe(200)
  } finally {
    await limited.stop()
  }
})

test('links name PUBLIC_URL and never the Host that a caller claims', async () => {
  const named = await startServer({ PUBLIC_URL: 'https://companion.example.com/' })
  try {
    const { email } = await signUp(named)
    const link = await resetLink(named, email)
    expect(link.href).toMatch(/^https:\/\/companion\.example\.com\/reset-password\?token=[\w-]{43}$/)
  } finally {
    await named.stop()
  }
})

test.each([undefined, null, 5, 'x'.repeat(321)])('email %j is a validation error', async (email) => {
  const { status, body } = await server.post(PATH, { json: { email } })
  expect(status).toBe(422)
  expect(body.detail[0].loc).toEqual(['body', 'email'])
})
