import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { countedFailures } from '../../support/counted-failures.ts'
import { anyEmail, anyPhone, PASSWORD, signIn, signUp, smsCode } from '../../support/family.ts'
import { startServer, useServer } from '../../support/server.ts'
import { tally } from '../../support/response-tally.ts'

const server = useServer({ RATE_LIMITS: 'on', TRUST_PROXY: '1' })

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Every way to fail from `address`, each for another account. */
const attemptsFrom = (address: string) => {
  const headers = { 'x-forwarded-for': address }
  const post = (path: string, json: object) => server.post(`/api/v1/alpha/auth/${path}`, { json, headers })
  return {
    signIn: () =>
      server.post('/api/v1/alpha/auth/email/signin', {
        form: { username: anyEmail(), password: PASSWORD },
        headers,
      }),
    refresh: () => post('refresh-token', { refresh_token: 'garbage' }),
    verifyPhone: () => post('phone-number-validation', { phone: anyPhone(), validnum: '123456' }),
    findAccount: () => post('find-account', { phone: anyPhone(), validnum: '123456' }),
    requestReset: () => post('email/password-reset', { email: anyEmail() }),
  }
}

const tooMany = { status: 429, body: { detail: 'Too many requests' } }

test('100 failures of every kind, over all accounts, hold an address for 10 minutes', async () => {
  const attempts = attemptsFrom('203.0.113.1')
  const kinds = Object.values(attempts)
  for (let n = 0; n < 100; n += 1) {
    const response = await kinds[n % kinds.length]?.()
    expect(response?.status).toBeOneOf([400, 401, 404])
  }
  for (const attempt of kinds) {
    const refused = await attempt()
    expect(refused).toMatchObject(tooMany)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(500)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(600)
  }
  expect((await attemptsFrom('203.0.113.2').signIn()).status).toBe(404)
  vi.setSystemTime(Date.now() + 600_000)
  expect((await attempts.signIn()).status).toBe(404)
})

test('of many attempts of every kind at once in two processes, exactly 100 are let through', async () => {
  const other = await startServer({ RATE_LIMITS: 'on', TRUST_PROXY: '1' }, server.databaseUrl)
  try {
    const headers = { 'x-forwarded-for': '203.0.113.3' }
    const json = { refresh_token: 'garbage' }
    const responses = await Promise.all(
      Array.from({ length: 150 }, (_, n) =>
        (n % 2 ? server : other).post('/api/v1/alpha/auth/refresh-token', { json, headers }),
      ),
    )
    expect(tally(responses)).toEqual({
      '401 Could not validate credentials': 100,
      '429 Too many requests': 50,
    })
  } finally {
    await other.stop()
  }
})

test('calls that succeed or are not valid are not counted, nor is a failure after a right code', async () => {
  const account = await signUp(server)
  const before = await countedFailures(server)
  expect((await signIn(server, account.email)).status).toBe(200)
  const { body } = await signIn(server, account.email)
  const json = { refresh_token: body.refresh_token }
  expect((await server.post('/api/v1/alpha/auth/refresh-token', { json })).status).toBe(200)
  expect((await server.post('/api/v1/alpha/auth/refresh-token', { json: {} })).status).toBe(422)
  const code = { phone: account.phone, validnum: await smsCode(server, account.phone, 'recovery') }
  expect((await server.post('/api/v1/alpha/auth/phone-number-validation', { json: code })).status).toBe(409)
  expect((await server.post('/api/v1/alpha/auth/find-account', { json: code })).status).toBe(200)
  expect(await countedFailures(server)).toBe(before)
  await signIn(server, account.email, 'wrong password')
  await server.post('/api/v1/alpha/auth/email/password-reset', { json: { email: account.email } })
  await server.post('/api/v1/beta/user/change-phone', {
    token: body.access_token,
    json: { phone: anyPhone(), validnum: '123456' },
  })
  expect(await countedFailures(server)).toBe(before + 3)
})
