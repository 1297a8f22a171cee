import { randomUUID } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import { anyEmail, signIn, signUp, smsCode } from '../../support/family.ts'
import { useOpenIdProvider } from '../../support/outside/openid.ts'
import { useServer } from '../../support/server.ts'
import { socialClaims, socialSignIn, socialSignUp } from '../../support/outside/social.ts'

const provider = useOpenIdProvider()
const server = useServer(() => ({ SOCIAL_PROVIDERS: provider.configuration }))
afterEach(() => void vi.useRealTimers())

const claims = (more: object = {}) => socialClaims(provider, more)

test('a parent signs up and in with a real provider', async () => {
  const login = randomUUID()
  expect(await socialSignIn(server, await provider.signIn(login, 'first'), { nonce: 'first' })).toMatchObject(
    {
      status: 404,
      body: { detail: 'User not found' },
    },
  )
  const up = await socialSignUp(server, await provider.signIn(login, 'second'), { nonce: 'second' })
  expect(up).toMatchObject({
    status: 200,
    body: { id: expect.any(Number), token_type: 'bearer', expires_in: 900, refresh_expires_in: 1_209_600 },
  })
  const again = await socialSignIn(server, await provider.signIn(login, 'third'), { nonce: 'third' })
  expect(again).toMatchObject({ status: 200, body: { id: up.body.id } })
  const me = await server.get('/api/v1/beta/user/me', { token: again.body.access_token })
  expect(me.body).toMatchObject({ register_type: 'S', need_to_pwd_change: false })
})

test('find-account and password reset name the provider of a social account', async () => {
  const address = anyEmail()
  const verified = claims({ email: address, email_verified: true })
  const { email, phone } = await socialSignUp(server, await provider.forge(verified), { email: address })
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
  const { body } = await socialSignUp(server, await provider.forge(claims()))
  const json = { current_password: '', new_password: 'a brand new password' }
  const changed = await server.post('/api/v1/beta/user/change-password', { token: body.access_token, json })
  expect(changed).toMatchObject({ status: 400, body: { detail: 'Password is invalid' } })
})

test('nothing is linked by e-mail', async () => {
  const account = await signUp(server)
  const token = await provider.forge(claims({ email: account.email, email_verified: true }))
  expect(await socialSignIn(server, token)).toMatchObject({ status: 404 })
  expect(await socialSignUp(server, token, { email: account.email.toUpperCase() })).toMatchObject({
    status: 409,
    body: { detail: 'Same email is already registered' },
  })
})

test('a deleted account is told so for TOMBSTONE_DAYS, then free', async () => {
  const token = await provider.forge(claims({ exp: Date.now() / 1000 + 400 * 86_400 }))
  const { body, email } = await socialSignUp(server, token)
  await server.delete('/api/v1/beta/user/root-user', { token: body.access_token })
  expect(await socialSignIn(server, token)).toMatchObject({
    status: 410,
    body: { detail: 'User is Deleted' },
  })
  expect(await socialSignUp(server, token)).toMatchObject({ status: 409 })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 366 * 86_400_000 })
  expect(await socialSignIn(server, token)).toMatchObject({ status: 404 })
  expect((await socialSignUp(server, token, { email })).status).toBe(200)
})
