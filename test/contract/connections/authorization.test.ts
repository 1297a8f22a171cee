import { createHash, randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import * as oauth from 'oauth4webapi'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { addChild, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { addService, connect, createBrowser, granted, REDIRECT } from '../../support/oauth.ts'
import { PASSWORD } from '../../support/password.ts'
import { useServer } from '../../support/server.ts'

/* How another service comes to a parent's consent, and how it may not. */

const server = useServer()
afterEach(() => void vi.useRealTimers())

let parent: Account
let child: number
beforeAll(async () => {
  parent = await signUp(server)
  child = (await addChild(server, parent.token)).real_user_id
})

const readChild = (token: string) => server.get(`/api/v1/beta/user/real-user/${child}`, { token })
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error: unknown) => (error instanceof oauth.ResponseBodyError ? error.error : String(error)),
  )
const laterBy = (seconds: number) =>
  void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })

test('the metadata names every endpoint, and offers nothing else', async () => {
  const [oauthServer, openid] = await Promise.all(
    ['oauth-authorization-server', 'openid-configuration'].map((name) => server.get(`/.well-known/${name}`)),
  )
  expect(oauthServer?.body).toEqual(openid?.body)
  expect(oauthServer?.body).toMatchObject({
    issuer: server.url,
    authorization_endpoint: `${server.url}/oauth/authorize`,
    token_endpoint: `${server.url}/oauth/token`,
    revocation_endpoint: `${server.url}/oauth/revoke`,
    introspection_endpoint: `${server.url}/oauth/introspect`,
    jwks_uri: `${server.url}/oauth/jwks`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'private_key_jwt', 'none'],
    authorization_response_iss_parameter_supported: true,
  })
  expect(oauthServer?.body.scopes_supported).not.toContain('openid')
  const { body } = await server.get('/oauth/jwks')
  expect(Object.keys(body.keys[0])).not.toContain('d')
})

test('a parent consents, and the session of their app goes on', async () => {
  const { token, tokens, refresh, introspect, revoke } = await granted(server, parent, {
    scope: 'child:read offline_access',
    children: [child],
  })
  expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 900, scope: 'child:read offline_access' })
  expect(await readChild(token)).toMatchObject({ status: 200, body: { id: child } })
  const next = await refresh(tokens.refresh_token ?? '')
  expect((await readChild(next.access_token)).status).toBe(200)
  expect(await introspect(next.access_token)).toMatchObject({
    active: true,
    scope: 'child:read offline_access',
  })
  expect((await server.get('/api/v1/beta/user/me', { token: parent.token })).status).toBe(200)
  const { body } = await server.get('/api/v1/alpha/auth/refresh-token', {
    headers: { authorization: `Bearer ${parent.refreshToken}` },
  })
  expect(body).not.toMatchObject({ detail: 'Duplicate login detected' })
  await revoke(next.refresh_token ?? '')
  expect(await readChild(next.access_token)).toMatchObject({
    status: 401,
    body: { detail: 'Could not validate credentials' },
  })
})

test('no token, code or secret is kept in a form that can be used', async () => {
  const { tokens, service } = await granted(server, parent, {
    scope: 'child:read offline_access',
    children: [child],
  })
  const secrets = [tokens.access_token, tokens.refresh_token, service.client_secret]
  const { rows } = await server.database.pool.query(
    `SELECT t::text AS line FROM oauth_state t UNION ALL SELECT c::text FROM client c`,
  )
  const all = rows.map(({ line }) => line).join('\n')
  expect(all).toContain(createHash('sha256').update(tokens.access_token).digest('hex'))
  for (const secret of secrets) expect(all).not.toContain(secret)
})

test('an expired access token is told as one, and a refresh brings another', async () => {
  const { token, tokens, refresh } = await granted(server, parent, {
    scope: 'child:read offline_access',
    children: [child],
  })
  laterBy(901)
  expect(await readChild(token)).toMatchObject({ status: 401, body: { detail: 'Token is expired' } })
  const next = await refresh(tokens.refresh_token ?? '')
  expect((await readChild(next.access_token)).status).toBe(200)
})

test('without offline_access there is no refresh token; with it, consent is asked for without a prompt', async () => {
  const service = await addService(server)
  const browser = createBrowser(server.url)
  const connection = await connect(server, service)
  const first = await connection.exchange(
    await connection.consent(browser, parent, { scope: 'child:read usage:read', children: [child] }),
  )
  expect(first.refresh_token).toBeUndefined()
  // The same and less pass at once, while the browser is signed in.
  for (const scope of ['child:read usage:read', 'child:read']) {
    const again = await browser.ask(await connection.authorizeUrl({ scope }))
    expect(again.location).toMatch(/^https:\/\/study\.example\.org\/connected\?code=/)
  }
  for (const request of [
    { scope: 'child:read notes:read' },
    { scope: 'child:read', prompt: 'consent' },
    { scope: 'child:read offline_access' },
  ]) {
    const { location } = await browser.ask(await connection.authorizeUrl(request))
    expect(location).toContain('/oauth/interaction/')
    expect((await browser.ask(location)).page).toContain('Allow Sleep study?')
  }
})

test('a new consent replaces the one before', async () => {
  const service = await addService(server)
  const first = await granted(server, parent, { children: [child] }, service)
  const second = await granted(server, parent, { scope: 'usage:read', children: [child] }, service)
  expect((await readChild(first.token)).status).toBe(401)
  expect((await readChild(second.token)).body).toEqual({ detail: 'Insufficient scope' })
  const { body } = await server.get('/api/v1/beta/grant', { token: parent.token })
  expect(body.filter((each: any) => each.client.client_id === service.client_id)).toHaveLength(1)
})

test('a new grant is told to the parent by mail', async () => {
  const before = (await server.outbox()).length
  await granted(server, parent, { children: [child] })
  expect((await server.outbox()).slice(before)).toMatchObject([
    { channel: 'email', to: parent.email, subject: 'Companion 계정에 다른 서비스가 연결되었습니다' },
  ])
})

test.each([
  ['month', 30],
  ['year', 365],
])('a grant for a %s ends by itself', async (period, days) => {
  const { tokens, refresh } = await granted(server, parent, {
    scope: 'child:read offline_access',
    children: [child],
    period,
  })
  laterBy(days * 86_400 + 5)
  expect(await refusal(refresh(tokens.refresh_token ?? ''))).toBe('invalid_grant')
})

test('declining tells the service so', async () => {
  const connection = await connect(server, await addService(server))
  const browser = createBrowser(server.url)
  const { location } = await browser.ask(await connection.authorizeUrl())
  const finished = await browser.ask(location, { action: 'decline' })
  const { location: target } = await browser.ask(finished.location)
  const answer = new URL(target)
  expect(`${answer.origin}${answer.pathname}`).toBe(REDIRECT)
  expect(Object.fromEntries(answer.searchParams)).toMatchObject({
    error: 'access_denied',
    state: connection.state,
    iss: server.url,
  })
})

describe('a service that proves itself by its own key', () => {
  test('gets tokens for itself', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }
    const { client_id, client_secret } = await addService(server, { jwks: { keys: [jwk] } })
    expect(client_secret).toBeUndefined()
    const ask = async (key: typeof privateKey, jti: string) =>
      server.post('/oauth/token', {
        form: {
          grant_type: 'client_credentials',
          scope: 'child:read',
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: await new SignJWT({})
            .setProtectedHeader({ alg: 'ES256', kid: 'one' })
            .setIssuer(client_id)
            .setSubject(client_id)
            .setAudience(server.url)
            .setJti(jti)
            .setIssuedAt()
            .setExpirationTime('1m')
            .sign(key),
        },
      })
    const jti = randomUUID()
    const { status, body } = await ask(privateKey, jti)
    expect(status).toBe(200)
    expect((await server.get('/api/v1/beta/user/real-user', { token: body.access_token })).body).toEqual([])
    expect(await ask(privateKey, jti)).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    const stranger = await generateKeyPair('ES256')
    expect(await ask(stranger.privateKey, randomUUID())).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    })
  })
})

describe('refused', () => {
  const begin = async () => {
    const service = await addService(server)
    const connection = await connect(server, service)
    return { service, connection, browser: createBrowser(server.url) }
  }
  const without = (url: URL, ...names: string[]) => {
    for (const name of names) url.searchParams.delete(name)
    return url
  }
  const errorAt = (location: string) => new URL(location).searchParams.get('error')

  test('an authorization without PKCE, or with the plain method', async () => {
    const { connection, browser } = await begin()
    const url = await connection.authorizeUrl()
    const { location } = await browser.ask(without(url, 'code_challenge', 'code_challenge_method'))
    expect(errorAt(location)).toBe('invalid_request')
    const plain = await connection.authorizeUrl()
    plain.searchParams.set('code_challenge_method', 'plain')
    expect(errorAt((await browser.ask(plain)).location)).toBe('invalid_request')
  })

  test('a code with another verifier, or with none', async () => {
    const { connection, browser } = await begin()
    const redirect = await connection.consent(browser, parent, { children: [child] })
    expect(await refusal(connection.exchange(redirect, REDIRECT, oauth.generateRandomCodeVerifier()))).toBe(
      'invalid_grant',
    )
    expect((await connection.exchange(redirect)).access_token).toBeTypeOf('string')
  })

  test('a redirect that is not registered, without leading there', async () => {
    const { connection, browser } = await begin()
    for (const redirect_uri of [
      'https://evil.example.org/connected',
      `${REDIRECT}/more`,
      `${REDIRECT}?more=1`,
      'https://study.example.org@evil.example.org/connected',
      'http://study.example.org/connected',
      'javascript:alert(1)',
    ]) {
      const { status, location, page } = await browser.ask(await connection.authorizeUrl({ redirect_uri }))
      expect(status).toBe(400)
      expect(location).toBe('')
      expect(page).toContain('invalid_redirect_uri')
      expect(page).not.toContain('evil')
    }
  })

  test('a code with another redirect than it was given for', async () => {
    const service = await addService(server, { redirect_uris: [REDIRECT, `${REDIRECT}/2`] })
    const connection = await connect(server, service)
    const redirect = await connection.consent(createBrowser(server.url), parent, { children: [child] })
    expect(await refusal(connection.exchange(redirect, `${REDIRECT}/2`))).toBe('invalid_grant')
  })

  test('a code that is used twice, which ends what it has given', async () => {
    const { connection, browser } = await begin()
    const redirect = await connection.consent(browser, parent, { children: [child] })
    const { access_token } = await connection.exchange(redirect)
    expect((await readChild(access_token)).status).toBe(200)
    expect(await refusal(connection.exchange(redirect))).toBe('invalid_grant')
    expect((await readChild(access_token)).status).toBe(401)
  })

  test('a code after a minute', async () => {
    const { connection, browser } = await begin()
    const redirect = await connection.consent(browser, parent, { children: [child] })
    laterBy(61)
    expect(await refusal(connection.exchange(redirect))).toBe('invalid_grant')
  })

  test('all but one of those who come at once with a code or a refresh token', async () => {
    const { connection, browser } = await begin()
    const redirect = await connection.consent(browser, parent, {
      scope: 'child:read offline_access',
      children: [child],
    })
    const codes = await Promise.allSettled(Array.from({ length: 8 }, () => connection.exchange(redirect)))
    const won = codes.filter((each) => each.status === 'fulfilled')
    expect(won).toHaveLength(1)
    const second = await connection.consent(browser, parent, {
      scope: 'child:read offline_access',
      children: [child],
    })
    const { refresh_token = '' } = await connection.exchange(second)
    const pairs = await Promise.allSettled(Array.from({ length: 8 }, () => connection.refresh(refresh_token)))
    expect(pairs.filter((each) => each.status === 'fulfilled').length).toBeLessThanOrEqual(1)
  })

  test('a refresh token that is used twice, which ends the tokens of the grant', async () => {
    const { tokens, refresh } = await granted(server, parent, {
      scope: 'child:read offline_access',
      children: [child],
    })
    const next = await refresh(tokens.refresh_token ?? '')
    expect(await refusal(refresh(tokens.refresh_token ?? ''))).toBe('invalid_grant')
    expect(await refusal(refresh(next.refresh_token ?? ''))).toBe('invalid_grant')
    expect((await readChild(next.access_token)).status).toBe(401)
  })

  test('an answer that another issuer is said to have given (mix-up)', async () => {
    const { connection, browser } = await begin()
    const redirect = await connection.consent(browser, parent, { children: [child] })
    expect(redirect.searchParams.get('iss')).toBe(server.url)
    redirect.searchParams.set('iss', 'https://evil.example.org')
    await expect(connection.exchange(redirect)).rejects.toThrow('"iss"')
  })

  test('a code or token of another service', async () => {
    const { connection, browser } = await begin()
    const other = await begin()
    const redirect = await connection.consent(browser, parent, {
      scope: 'child:read offline_access',
      children: [child],
    })
    const { refresh_token = '', access_token } = await connection.exchange(redirect)
    expect(await refusal(other.connection.refresh(refresh_token))).toBe('invalid_grant')
    expect(await other.connection.introspect(access_token)).toMatchObject({ active: false })
    await refusal(other.connection.revoke(refresh_token))
    expect((await readChild(access_token)).status).toBe(200)
  })

  test('a wrong secret, and a service that does not exist', async () => {
    const { service } = await begin()
    for (const client of [
      { ...service, client_secret: 'wrong' },
      { client_id: randomUUID(), client_secret: 'wrong' },
    ]) {
      const connection = await connect(server, client)
      const answer = connection.clientCredentials('child:read').then(
        () => 'accepted',
        (error: any) => String(error.message),
      )
      expect(await answer).toContain('WWW-Authenticate')
    }
  })

  test('a scope that the service was not admitted to, or that does not exist', async () => {
    const service = await addService(server, { scopes: ['child:read'] })
    const connection = await connect(server, service)
    for (const scope of ['child:read notes:read', 'openid']) {
      const { location } = await createBrowser(server.url).ask(await connection.authorizeUrl({ scope }))
      expect(errorAt(location)).toBe('invalid_scope')
    }
    expect(await refusal(connection.clientCredentials('notes:read'))).toBe('invalid_scope')
  })

  test('the flows that are off', async () => {
    const { connection, service, browser } = await begin()
    const implicit = await connection.authorizeUrl()
    implicit.searchParams.set('response_type', 'token')
    expect((await browser.ask(implicit)).location).toContain('#error=')
    const basic = `Basic ${Buffer.from(`${service.client_id}:${service.client_secret}`).toString('base64')}`
    const password = { grant_type: 'password', username: parent.email, password: PASSWORD }
    expect(
      await server.post('/oauth/token', { form: password, headers: { authorization: basic } }),
    ).toMatchObject({ status: 400, body: { error: 'unsupported_grant_type' } })
    for (const path of ['/oauth/reg', '/reg', '/oauth/device', '/device/auth', '/oauth/me'])
      expect((await server.post(path, { form: {} })).status).toBe(404)
  })

  test('a client of the public without a secret asks for tokens of its own', async () => {
    const connection = await connect(server, await addService(server, { is_public: true }))
    expect(await refusal(connection.clientCredentials('child:read'))).toBe('invalid_request')
  })

  test('a wrong method or body, in the form of OAuth', async () => {
    expect((await server.get('/oauth/token')).body).toMatchObject({ error: 'invalid_request' })
    expect(await server.post('/oauth/token', { json: {} })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    })
  })
})

test.each(['http://127.0.0.1/callback', 'org.example.study:/connected'])(
  'a service that is answered at %s asks for consent each time: any program there could pose as it',
  async (redirect_uri) => {
    const service = await addService(server, { is_public: true, redirect_uris: [redirect_uri] })
    const connection = await connect(server, service)
    const browser = createBrowser(server.url)
    await connection.consent(browser, parent, { redirect_uri, children: [child] })
    const { location } = await browser.ask(await connection.authorizeUrl({ redirect_uri }))
    expect(location).toContain('/oauth/interaction/')
    expect((await browser.ask(location)).page).toContain('Allow Sleep study?')
  },
)

test('a loopback redirect may have any port', async () => {
  const service = await addService(server, { is_public: true, redirect_uris: ['http://127.0.0.1/callback'] })
  const connection = await connect(server, service)
  const redirect_uri = 'http://127.0.0.1:51004/callback'
  const redirect = await connection.consent(createBrowser(server.url), parent, {
    redirect_uri,
    children: [child],
  })
  expect(redirect.port).toBe('51004')
  const { access_token } = await connection.exchange(redirect, redirect_uri)
  expect((await readChild(access_token)).status).toBe(200)
  for (const other of ['http://127.0.0.1:51004/other', 'http://evil.example.org:51004/callback'])
    expect(
      (await createBrowser(server.url).ask(await connection.authorizeUrl({ redirect_uri: other }))).status,
    ).toBe(400)
})
