import type { CryptoKey } from 'jose'
import { exportSPKI, generateKeyPair, importJWK, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { signUp } from '../../support/family.ts'
import { useOpenIdProvider } from '../../support/outside/openid.ts'
import { useServer } from '../../support/server.ts'
import { socialClaims, socialSignIn, socialSignUp } from '../../support/outside/social.ts'

const provider = useOpenIdProvider()
const server = useServer(() => ({ SOCIAL_PROVIDERS: provider.configuration }))
const claims = (more: object = {}) => socialClaims(provider, more)
const signIn = (id_token: unknown, more?: object) => socialSignIn(server, id_token, more)
const now = () => Math.floor(Date.now() / 1000)

const NONCE = 'the nonce of the app'
const badToken = { status: 401, body: { detail: 'Could not validate credentials' } }

describe('the states of an account hold for social sign-in', () => {
  const state = async (values: object) => {
    const token = await provider.forge(claims())
    const { body } = await socialSignUp(server, token)
    await server.database.sql.updateTable('root_user').set(values).where('id', '=', body.id).execute()
    return signIn(token)
  }
  test.each([
    [423, 'Access denied. Account blocked', { blocked_at: new Date() }],
    [401, 'Sign-up not completed', { is_signup_completed: false }],
    [403, 'SMS verification required', { is_phone_number_checked: false }],
  ])('%i %s', async (status, detail, values) => {
    expect(await state(values)).toMatchObject({ status, body: { detail } })
  })
})

describe('a token is refused that', () => {
  test('is none, or is signed by nobody', async () => {
    for (const token of ['', 'x', 'a.b.c', '\u0000']) expect(await signIn(token)).toMatchObject(badToken)
    expect(await signIn(new UnsecuredJWT(claims()).encode())).toMatchObject(badToken)
  })

  test('is signed by another key, under the same name or with a key of its own', async () => {
    const { privateKey, publicKey } = await generateKeyPair('RS256')
    const sign = (header: object) =>
      new SignJWT(claims()).setProtectedHeader({ alg: 'RS256', ...header }).sign(privateKey)
    expect(await signIn(await sign({ kid: provider.publicKey().kid }))).toMatchObject(badToken)
    expect(await signIn(await sign({ kid: 'unknown' }))).toMatchObject(badToken)
    expect(
      await signIn(await sign({ jwk: { kty: 'RSA', ...(await importableJwk(publicKey)) } })),
    ).toMatchObject(badToken)
    expect(await signIn(await sign({ jku: 'http://127.0.0.1:1/keys', kid: 'x' }))).toMatchObject(badToken)
  })

  test('is signed with the public key as if it were a shared secret', async () => {
    const key = await importJWK(provider.publicKey(), 'RS256', { extractable: true })
    if (key instanceof Uint8Array) throw new Error('not a public key')
    const secret = new TextEncoder().encode(await exportSPKI(key))
    expect(
      await signIn(await new SignJWT(claims()).setProtectedHeader({ alg: 'HS256' }).sign(secret)),
    ).toMatchObject(badToken)
  })

  test('is for another app, of another issuer, expired, not valid yet, or about nobody', async () => {
    expect(await signIn(await provider.forge(claims({ aud: 'somebody else' })))).toMatchObject(badToken)
    expect(await signIn(await provider.forge(claims({ iss: 'https://accounts.google.com' })))).toMatchObject(
      badToken,
    )
    expect(await signIn(await provider.forge(claims({ exp: now() - 6 })))).toMatchObject(badToken)
    expect(await signIn(await provider.forge(claims({ nbf: now() + 60 })))).toMatchObject(badToken)
    expect(await signIn(await provider.forge(claims({ sub: undefined })))).toMatchObject(badToken)
    expect(await signIn(await provider.forge(claims({ exp: undefined })))).toMatchObject(badToken)
  })

  test('has another nonce than the app says, has one the app does not know, or lacks it', async () => {
    expect(await signIn(await provider.forge(claims({ nonce: NONCE })), { nonce: 'other' })).toMatchObject(
      badToken,
    )
    expect(await signIn(await provider.forge(claims({ nonce: NONCE })))).toMatchObject(badToken)
    expect(await signIn(await provider.forge(claims()), { nonce: NONCE })).toMatchObject(badToken)
  })

  test('is a token of this service', async () => {
    const { token, refreshToken } = await signUp(server)
    expect(await signIn(token)).toMatchObject(badToken)
    expect(await signIn(refreshToken)).toMatchObject(badToken)
  })
})

async function importableJwk(key: CryptoKey) {
  const { n, e } = await crypto.subtle.exportKey('jwk', key)
  return { n, e }
}

test('an unknown provider is a validation error, and tokens are never repeated', async () => {
  const unknown = await signIn('a secret token', { provider: 'myspace' })
  expect(unknown).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'provider'] }] } })
  const invalid = await signIn(5, { nonce: 5 })
  expect(invalid.body.detail).toMatchObject([
    { loc: ['body', 'id_token'], input: null },
    { loc: ['body', 'nonce'], input: null },
  ])
})
