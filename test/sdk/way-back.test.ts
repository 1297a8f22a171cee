import { createCompanion, memoryStorage, safe } from '@companion/sdk'
import { expect, test } from 'vitest'
import { anyEmail, anyPhone, PASSWORD, signUp, signUpBody, smsCode } from '../support/family.ts'
import { CLIENT_ID, useOpenIdProvider } from '../support/outside/openid.ts'
import { useServer } from '../support/server.ts'

const provider = useOpenIdProvider()
const server = useServer(() => ({
  SOCIAL_PROVIDERS: JSON.stringify([
    { name: 'google', issuer: provider.issuer, client_ids: [CLIENT_ID] },
    { name: 'kakao', issuer: 'http://127.0.0.1:1', client_ids: [CLIENT_ID] },
  ]),
}))

test('a parent who forgot everything gets back in', async () => {
  const { phone, email } = await signUp(server)
  const { auth, account } = createCompanion({ baseUrl: server.url })
  await auth.sendSmsCode({ phone, purpose: 'recovery' })
  const { code = '' } = (await server.outbox()).findLast(({ to }) => to === phone) ?? {}
  expect(await auth.findAccount({ phone, validnum: code })).toEqual({ email, provider: 'email' })

  await auth.requestPasswordReset({ email })
  const { link = '' } = (await server.outbox()).findLast(({ to }) => to === email) ?? {}
  const token = new URL(link).searchParams.get('token') ?? ''
  // Nobody has confirmed the address yet.
  const [, unproven] = await safe(auth.confirmPasswordReset({ token, password: `new ${PASSWORD}` }))
  expect(unproven?.data).toMatchObject({ status: 400, detail: 'Validation code is invalid' })
  const validnum = await smsCode(server, phone, 'recovery')
  await auth.confirmPasswordReset({ token, password: `new ${PASSWORD}`, validnum })
  await auth.signIn({ username: email, password: `new ${PASSWORD}` })
  expect(await account.me()).toMatchObject({ phone })

  const [, error] = await safe(auth.confirmPasswordReset({ token, password: PASSWORD }))
  expect(error?.data).toMatchObject({ status: 400, detail: 'Reset token is invalid' })
})

test('a social account signs up, out and in again, and every error has its own status', async () => {
  const companion = createCompanion({ baseUrl: server.url, storage: { ...memoryStorage() } })
  const signInAs = async (login: string) => ({
    provider: 'google',
    id_token: await provider.signIn(login, 'nonce'),
    nonce: 'nonce',
  })
  const [, unknown] = await safe(companion.auth.socialSignIn(await signInAs('mina')))
  expect(unknown?.data).toMatchObject({ status: 404, detail: 'User not found' })

  const phone = anyPhone()
  const verified = await companion.auth.verifyPhone({ phone, validnum: await smsCode(server, phone) })
  const { password: _password, ...body } = signUpBody(phone, anyEmail())
  const profile = { ...body, gender: 'F', register_type: 'S' } as const
  const { id } = await companion.auth.socialSignUp({ ...verified, ...profile, ...(await signInAs('mina')) })
  expect(await companion.account.me()).toMatchObject({ root_user_id: id, register_type: 'S' })
  await companion.auth.signOut()
  expect(await companion.session.isSignedIn()).toBe(false)

  expect(await companion.auth.socialSignIn(await signInAs('mina'))).toMatchObject({ id })
  expect(await companion.session.isSignedIn()).toBe(true)

  const out = { ...(await signInAs('mina')), provider: 'kakao' }
  const [, unavailable] = await safe(companion.auth.socialSignIn(out))
  expect(unavailable?.data).toMatchObject({ status: 503, detail: 'Sign-in provider is not available' })
})
