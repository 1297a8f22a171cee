import { randomUUID } from 'node:crypto'
import type { CryptoKey } from 'jose'
import { exportSPKI, generateKeyPair, importJWK, SignJWT, UnsecuredJWT } from 'jose'
import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { anyEmail, anyPhone, signIn, signUp, signUpBody, smsCode, validToken } from '../../support/family.ts'
import { CLIENT_ID, startOpenIdProvider, useOpenIdProvider } from '../../support/openid.ts'
import { isInLab, startServer } from '../../support/server.ts'
import type { TestServer } from '../../support/server.ts'
import { holdTimeouts } from '../../support/timeouts.ts'
import { until } from '../../support/until.ts'

const provider = useOpenIdProvider()
let server: TestServer & { stop: () => Promise<void> }
beforeAll(async () => {
  server = await startServer({ SOCIAL_PROVIDERS: provider.configuration })
  return () => server.stop()
})
afterEach(() => {
  provider.answer()
  vi.useRealTimers()
})

const NONCE = 'the nonce of the app'
const now = () => Math.floor(Date.now() / 1000)
const claims = (more: object = {}) => ({
  iss: provider.issuer,
  aud: CLIENT_ID,
  sub: randomUUID(),
  iat: now(),
  exp: now() + 600,
  ...more,
})

const socialSignIn = (id_token: unknown, more: object = {}, at: TestServer = server) =>
  at.post('/api/v1/alpha/auth/social/signin', { json: { provider: 'example', id_token, ...more } })

async function socialSignUp(
  id_token: string,
  {
    email = anyEmail(),
    phone = anyPhone(),
    ...more
  }: { email?: string; phone?: string; nonce?: string } = {},
) {
  const token = await validToken(server, phone)
  const { password: _password, ...body } = signUpBody(phone, email)
  const json = { ...body, register_type: 'S', provider: 'example', id_token, ...more }
  return {
    email,
    phone,
    token,
    json,
    ...(await server.post('/api/v1/alpha/auth/social/signup', { token, json })),
  }
}

const badToken = { status: 401, body: { detail: 'Could not validate credentials' } }
const unavailable = { status: 503, body: { detail: 'Sign-in provider is not available' } }

test('a parent signs up and in with a real provider, whatever e-mail it knows', async () => {
  const login = randomUUID()
  expect(await socialSignIn(await provider.signIn(login, NONCE), { nonce: NONCE })).toMatchObject({
    status: 404,
    body: { detail: 'User not found' },
  })
  const up = await socialSignUp(await provider.signIn(login, NONCE), { nonce: NONCE })
  expect(up).toMatchObject({
    status: 200,
    body: { id: expect.any(Number), token_type: 'bearer', expires_in: 900, refresh_expires_in: 1_209_600 },
  })
  const again = await socialSignIn(await provider.signIn(login, 'another'), { nonce: 'another' })
  expect(again).toMatchObject({ status: 200, body: { id: up.body.id } })
  const me = await server.get('/api/v1/beta/user/me', { token: again.body.access_token })
  expect(me.body).toMatchObject({ register_type: 'S', need_to_pwd_change: false })
})

test('what find-account and password reset say of a social account', async () => {
  const { email, phone } = await socialSignUp(await provider.forge(claims()))
  const validnum = await smsCode(server, phone, 'recovery')
  expect(await server.post('/api/v1/alpha/auth/find-account', { json: { phone, validnum } })).toMatchObject({
    body: { email, provider: 'example' },
  })
  expect(await server.post('/api/v1/alpha/auth/email/password-reset', { json: { email } })).toMatchObject({
    status: 400,
    body: { detail: 'User signed up using a social account' },
  })
  expect(await signIn(server, email)).toMatchObject({ status: 400, body: { detail: 'Password is invalid' } })
})

test('a social account has no password to change', async () => {
  const { body } = await socialSignUp(await provider.forge(claims()))
  const json = { current_password: '', new_password: 'a brand new password' }
  const changed = await server.post('/api/v1/beta/user/change-password', { token: body.access_token, json })
  expect(changed).toMatchObject({ status: 400, body: { detail: 'Password is invalid' } })
})

test('nothing is linked by e-mail', async () => {
  const account = await signUp(server)
  const token = await provider.forge(claims({ email: account.email, email_verified: true }))
  expect(await socialSignIn(token)).toMatchObject({ status: 404 })
  expect(await socialSignUp(token, { email: account.email.toUpperCase() })).toMatchObject({
    status: 409,
    body: { detail: 'Same email is already registered' },
  })
})

describe('sign-up', () => {
  test('one identity has one account, also when many try at once', async () => {
    const token = await provider.forge(claims())
    const first = await Promise.all(Array.from({ length: 5 }, () => socialSignUp(token)))
    expect(first.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200, 409, 409, 409, 409,
    ])
    expect(await socialSignUp(token)).toMatchObject({
      status: 409,
      body: { detail: 'Same email is already registered' },
    })
  })

  test('takes a verified phone, once, and says what is wrong with the e-mail', async () => {
    const id_token = await provider.forge(claims())
    const { json, token } = await socialSignUp(id_token)
    const post = (options: { token?: string; json: object }) =>
      server.post('/api/v1/alpha/auth/social/signup', options)
    for (const options of [{ json }, { json, token }, { json, token: 'forged' }]) {
      expect(await post(options)).toMatchObject({ status: 401, body: { detail: 'Token is invalid' } })
    }
    expect(await socialSignUp(id_token, { email: 'no address' })).toMatchObject({
      status: 400,
      body: { detail: 'Email is not valid' },
    })
  })

  test('a bad ID token or one whose issuer is out of reach uses up nothing', async () => {
    const id_token = await provider.forge(claims())
    const bad = await socialSignUp('not a token')
    expect(bad).toMatchObject(badToken)
    const again = { token: bad.token, json: { ...bad.json, id_token } }
    expect((await server.post('/api/v1/alpha/auth/social/signup', again)).status).toBe(200)
  })

  test('what the database refuses is a failed sign-up', async () => {
    const { sql, pool } = server.database
    await pool.query(
      `ALTER TABLE social_identity ADD CONSTRAINT refusal CHECK (subject <> 'refused') NOT VALID`,
    )
    expect(await socialSignUp(await provider.forge(claims({ sub: 'refused' })))).toMatchObject({
      status: 500,
      body: { detail: 'Failed to sign up user' },
    })
    expect(
      await sql.selectFrom('social_identity').select('subject').where('subject', '=', 'refused').execute(),
    ).toEqual([])
  })
})

describe('the states of an account hold for social sign-in', () => {
  const state = async (values: object) => {
    const token = await provider.forge(claims())
    const { body } = await socialSignUp(token)
    await server.database.sql.updateTable('root_user').set(values).where('id', '=', body.id).execute()
    return socialSignIn(token)
  }
  test.each([
    [423, 'Access denied. Account blocked', { blocked_at: new Date() }],
    [401, 'Sign-up not completed', { is_signup_completed: false }],
    [403, 'SMS verification required', { is_phone_number_checked: false }],
  ])('%i %s', async (status, detail, values) => {
    expect(await state(values)).toMatchObject({ status, body: { detail } })
  })

  test('a deleted account is told so for TOMBSTONE_DAYS, then free', async () => {
    const token = await provider.forge(claims({ exp: now() + 400 * 86_400 }))
    const { body, email } = await socialSignUp(token)
    await server.delete('/api/v1/beta/user/root-user', { token: body.access_token })
    expect(await socialSignIn(token)).toMatchObject({ status: 410, body: { detail: 'User is Deleted' } })
    expect(await socialSignUp(token)).toMatchObject({ status: 409 })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 366 * 86_400_000 })
    expect(await socialSignIn(token)).toMatchObject({ status: 404 })
    expect((await socialSignUp(token, { email })).status).toBe(200)
  })
})

describe('a token is refused that', () => {
  test('is none, or is signed by nobody', async () => {
    for (const token of ['', 'x', 'a.b.c', '\u0000'])
      expect(await socialSignIn(token)).toMatchObject(badToken)
    expect(await socialSignIn(new UnsecuredJWT(claims()).encode())).toMatchObject(badToken)
  })

  test('is signed by another key, under the same name or with a key of its own', async () => {
    const { privateKey, publicKey } = await generateKeyPair('RS256')
    const sign = (header: object) =>
      new SignJWT(claims()).setProtectedHeader({ alg: 'RS256', ...header }).sign(privateKey)
    expect(await socialSignIn(await sign({ kid: provider.publicKey().kid }))).toMatchObject(badToken)
    expect(await socialSignIn(await sign({ kid: 'unknown' }))).toMatchObject(badToken)
    expect(
      await socialSignIn(await sign({ jwk: { kty: 'RSA', ...(await importableJwk(publicKey)) } })),
    ).toMatchObject(badToken)
    expect(await socialSignIn(await sign({ jku: 'http://127.0.0.1:1/keys', kid: 'x' }))).toMatchObject(
      badToken,
    )
  })

  test('is signed with the public key as if it were a shared secret', async () => {
    const key = await importJWK(provider.publicKey(), 'RS256', { extractable: true })
    if (key instanceof Uint8Array) throw new Error('not a public key')
    const secret = new TextEncoder().encode(await exportSPKI(key))
    expect(
      await socialSignIn(await new SignJWT(claims()).setProtectedHeader({ alg: 'HS256' }).sign(secret)),
    ).toMatchObject(badToken)
  })

  test('is for another app, of another issuer, expired, not valid yet, or about nobody', async () => {
    expect(await socialSignIn(await provider.forge(claims({ aud: 'somebody else' })))).toMatchObject(badToken)
    expect(
      await socialSignIn(await provider.forge(claims({ iss: 'https://accounts.google.com' }))),
    ).toMatchObject(badToken)
    expect(await socialSignIn(await provider.forge(claims({ exp: now() - 6 })))).toMatchObject(badToken)
    expect(await socialSignIn(await provider.forge(claims({ nbf: now() + 60 })))).toMatchObject(badToken)
    expect(await socialSignIn(await provider.forge(claims({ sub: undefined })))).toMatchObject(badToken)
    expect(await socialSignIn(await provider.forge(claims({ exp: undefined })))).toMatchObject(badToken)
  })

  test('has another nonce than the app says, has one the app does not know, or lacks it', async () => {
    expect(
      await socialSignIn(await provider.forge(claims({ nonce: NONCE })), { nonce: 'other' }),
    ).toMatchObject(badToken)
    expect(await socialSignIn(await provider.forge(claims({ nonce: NONCE })))).toMatchObject(badToken)
    expect(await socialSignIn(await provider.forge(claims()), { nonce: NONCE })).toMatchObject(badToken)
  })

  test('is a token of this service', async () => {
    const { token, refreshToken } = await signUp(server)
    expect(await socialSignIn(token)).toMatchObject(badToken)
    expect(await socialSignIn(refreshToken)).toMatchObject(badToken)
  })
})

async function importableJwk(key: CryptoKey) {
  const { n, e } = await crypto.subtle.exportKey('jwk', key)
  return { n, e }
}

test('an unknown provider is a validation error, and tokens are never repeated', async () => {
  const unknown = await socialSignIn('a secret token', { provider: 'myspace' })
  expect(unknown).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'provider'] }] } })
  const faulty = await socialSignIn(5, { nonce: 5 })
  expect(faulty.body.detail).toMatchObject([
    { loc: ['body', 'id_token'], input: null },
    { loc: ['body', 'nonce'], input: null },
  ])
})

describe('the provider', () => {
  /** A service that has not met the provider yet. */
  async function fresh(configuration: string, work: (at: TestServer) => Promise<void>) {
    const other = await startServer({ SOCIAL_PROVIDERS: configuration })
    try {
      await work(other)
    } finally {
      await other.stop()
    }
  }

  test.skipIf(isInLab)('is asked for its keys once, however many sign in', async () => {
    await fresh(provider.configuration, async (at) => {
      const token = await provider.forge(claims())
      const before = provider.asked()
      await Promise.all(Array.from({ length: 20 }, () => socialSignIn(token, {}, at)))
      expect(provider.asked() - before).toBe(2)
    })
  })

  test.skipIf(isInLab)('may change its keys at any time', async () => {
    await fresh(provider.configuration, async (at) => {
      const old = await provider.forge(claims())
      expect((await socialSignIn(old, {}, at)).status).toBe(404)
      await provider.rotate()
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 })
      expect((await socialSignIn(await provider.forge(claims()), {}, at)).status).toBe(404)
      expect(await socialSignIn(old, {}, at)).toMatchObject(badToken)
      // Not asked again within half a minute of the last time: forged key names must not make this service a nuisance.
      const before = provider.asked()
      for (const kid of ['guess', 'another', 'one more']) {
        expect(await socialSignIn(await provider.forge(claims(), { kid }), {}, at)).toMatchObject(badToken)
      }
      expect(provider.asked() - before).toBe(0)
    })
  })

  test.each<[string, Parameters<typeof provider.answer>[0]]>([
    ['is down', (request) => void request.socket.destroy()],
    ['fails', (_request, response) => void response.writeHead(500).end('{}')],
    ['answers nonsense', (_request, response) => void response.end('<html>')],
    [
      'says it is somebody else',
      (_request, response) =>
        void response.end(
          JSON.stringify({
            issuer: 'https://accounts.google.com',
            jwks_uri: 'https://www.googleapis.com/oauth2/v3/certs',
          }),
        ),
    ],
    [
      'sends us elsewhere',
      (_request, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1' }).end(),
    ],
  ])('that %s is not available, and is found again by itself', async (_what, answer) => {
    await fresh(provider.configuration, async (at) => {
      const token = await provider.forge(claims())
      provider.answer(answer)
      expect(await socialSignIn(token, {}, at)).toMatchObject(unavailable)
      provider.answer()
      expect((await socialSignIn(token, {}, at)).status).toBe(404)
    })
  })

  test('that never answers is given 2.5 seconds, once for all who wait, and costs nobody else anything', async () => {
    const slow = await startOpenIdProvider()
    onTestFinished(() => slow.stop())
    const configuration = JSON.stringify([
      { name: 'example', issuer: slow.issuer, client_ids: [CLIENT_ID] },
      { name: 'quick', issuer: provider.issuer, client_ids: [CLIENT_ID] },
    ])
    await fresh(configuration, async (at) => {
      const account = await signUp(at)
      slow.answer(() => undefined)
      const timeouts = holdTimeouts()
      const token = await slow.forge(claims({ iss: slow.issuer }))
      const waiting = Promise.all(Array.from({ length: 30 }, () => socialSignIn(token, {}, at)))
      await until(() => slow.asked())
      expect((await socialSignIn(await provider.forge(claims()), { provider: 'quick' }, at)).status).toBe(404)
      expect((await at.get('/api/v1/beta/user/me', { token: account.token })).status).toBe(200)
      timeouts.expire()
      for (const answer of await waiting) expect(answer).toMatchObject(unavailable)
      expect(slow.asked()).toBe(isInLab ? 2 : 1)
      expect(new Set(timeouts.milliseconds)).toEqual(new Set([2500]))
    })
  })

  test.skipIf(isInLab)('that goes away later is missed only once its keys are too old', async () => {
    await fresh(provider.configuration, async (at) => {
      const token = await provider.forge(claims({ exp: now() + 7200 }))
      expect((await socialSignIn(token, {}, at)).status).toBe(404)
      provider.answer((request) => void request.socket.destroy())
      expect((await socialSignIn(token, {}, at)).status).toBe(404)
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_700_000 })
      expect(await socialSignIn(token, {}, at)).toMatchObject(unavailable)
      const up = await validToken(at, anyPhone())
      expect(up).not.toBe('')
    })
  })

  test('that is out of reach does not use a sign-up up', async () => {
    await fresh(provider.configuration, async (at) => {
      const phone = anyPhone()
      const token = await validToken(at, phone)
      const { password: _password, ...body } = signUpBody(phone)
      const json = { ...body, provider: 'example', id_token: await provider.forge(claims()) }
      const post = () => at.post('/api/v1/alpha/auth/social/signup', { token, json })
      provider.answer((_request, response) => void response.writeHead(503).end())
      expect(await post()).toMatchObject(unavailable)
      provider.answer()
      expect((await post()).status).toBe(200)
    })
  })
})
