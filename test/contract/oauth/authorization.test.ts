import { createHash, randomUUID } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { exportJWK, generateKeyPair } from 'jose'
import * as oauth from 'oauth4webapi'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { blockClient, rotateSecret } from '@companion/server/oauth/manage-clients.ts'
import type { AddedClient } from '@companion/server/oauth/manage-clients.ts'
import { addChild, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import {
  addService,
  addSigningService,
  connect,
  createBrowser,
  granted,
  REDIRECT,
} from '../../support/oauth.ts'
import { inBetween } from '../../support/lock-waits.ts'
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
const error = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error: unknown) => (error instanceof oauth.ResponseBodyError ? error.error : String(error)),
  )
const basic = ({ client_id, client_secret }: AddedClient) =>
  `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`
const laterBy = (seconds: number) =>
  void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })

test('the metadata names every endpoint, and offers nothing else', async () => {
  const [oauthServer, resource, openid] = await Promise.all(
    ['oauth-authorization-server', 'oauth-protected-resource', 'openid-configuration'].map((name) =>
      server.get(`/.well-known/${name}`),
    ),
  )
  // The same, and what OpenID Connect adds: an ID token, and no other place that tells who a parent is.
  expect(openid).toMatchObject({
    status: 200,
    body: { ...oauthServer?.body, claims_supported: expect.arrayContaining(['sub', 'fhirUser']) },
  })
  expect(openid?.body).not.toHaveProperty('userinfo_endpoint')
  expect(resource?.body).toMatchObject({
    resource: server.url,
    authorization_servers: [server.url],
    bearer_methods_supported: ['header'],
  })
  expect(resource?.body.scopes_supported).toContain('child:read')
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
    token_endpoint_auth_methods_supported: [
      'client_secret_basic',
      'client_secret_post',
      'private_key_jwt',
      'none',
    ],
    response_modes_supported: ['query'],
    authorization_response_iss_parameter_supported: true,
  })
  expect(oauthServer?.body).not.toHaveProperty('claims_supported')
  for (const name of Object.keys(oauthServer?.body))
    expect(name).not.toMatch(/id_token|claims|subject_types|request_/)
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

test('a token whose scope is too narrow is told which one is needed, and one that has ended that it has', async () => {
  const { token, revoke } = await granted(server, parent, { scope: 'child:read', children: [child] })
  const ask = async (path: string) => {
    const { status, headers } = await server.get(`${path}?real_user_id=${child}`, { token })
    return [status, headers.get('www-authenticate')]
  }
  expect(await ask('/api/v1/beta/treatment')).toEqual([
    403,
    'Bearer error="insufficient_scope", scope="usage:read"',
  ])
  expect(await ask('/api/v1/beta/webhook')).toEqual([403, 'Bearer error="insufficient_scope"'])
  await revoke(token)
  expect(await ask('/api/v1/beta/treatment')).toEqual([401, 'Bearer error="invalid_token"'])
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

test('a parent refuses single scopes: the token says what was granted, and reaches no more (RFC 6749, 3.3)', async () => {
  const service = await addService(server)
  const browser = createBrowser(server.url)
  const connection = await connect(server, service)
  const scope = 'child:read usage:read notes:read offline_access'
  const allow = { period: 'always', child: [String(child)], scopes_chosen: '1', action: 'go' }
  /** Comes to the page of a consent; resolves to its address. */
  const arrive = async () => {
    let at = (await browser.ask(await connection.authorizeUrl({ scope }))).location
    if ((await browser.ask(at)).page.includes('name="password"'))
      at = (await browser.ask(at, { email: parent.email, password: PASSWORD, action: 'go' })).location
    return (await browser.ask(at)).location || at
  }
  /** Goes on from an answered page to the service. */
  const onward = async (location: string) => new URL((await browser.ask(location)).location)

  const page = await arrive()
  for (const kept of [[], ['offline_access'], ['surveys:read']]) {
    const refused = await browser.ask(page, { ...allow, scope: kept })
    expect(refused.status).toBe(422)
    expect(refused.page).toContain('Please choose at least one kind of record.')
  }
  const { location } = await browser.ask(page, {
    ...allow,
    scope: ['usage:read', 'surveys:read', 'offline_access'],
  })
  const tokens = await connection.exchange(await onward(location))
  // Nothing that was not asked for, whatever the form says.
  expect(tokens.scope).toBe('usage:read offline_access')
  expect((await readChild(tokens.access_token)).body).toEqual({ detail: 'Insufficient scope' })
  const [grant] = (await server.get('/api/v1/beta/grant', { token: parent.token })).body
  expect(grant.scopes).toEqual(['usage:read', 'offline_access'])
  expect((await connection.refresh(tokens.refresh_token ?? '')).scope).toBe('usage:read offline_access')

  // A service that asks for it again asks the parent again, who may refuse lasting access too.
  const again = await arrive()
  expect((await browser.ask(again)).page).toContain('value="notes:read" checked')
  const second = await browser.ask(again, { ...allow, scope: ['child:read', 'notes:read'] })
  const narrow = await connection.exchange(await onward(second.location))
  expect(narrow).toMatchObject({ scope: 'child:read notes:read' })
  expect(narrow.refresh_token).toBeUndefined()
})

test('a page without boxes, such as one of an older version, allows all that it has named', async () => {
  const browser = createBrowser(server.url)
  const connection = await connect(server, await addService(server))
  const redirect = await connection.consent(browser, parent, {
    scope: 'child:read usage:read',
    children: [child],
  })
  expect((await connection.exchange(redirect)).scope).toBe('child:read usage:read')
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

describe('a consent page that is open', () => {
  const open = async () => {
    const account = await signUp(server)
    const { real_user_id } = await addChild(server, account.token)
    const service = await addService(server)
    const connection = await connect(server, service)
    const browser = createBrowser(server.url)
    const { location: signIn } = await browser.ask(await connection.authorizeUrl())
    const form = { email: account.email, password: PASSWORD, action: 'go' }
    const { location } = await browser.ask((await browser.ask(signIn, form)).location)
    const allow = async () => {
      const { status, page } = await browser.ask(location, {
        child: String(real_user_id),
        period: 'month',
        action: 'go',
      })
      return [status, /<h1>([^<]*)/.exec(page)?.[1]]
    }
    const grants = async () =>
      (await server.database.pool.query('SELECT FROM access_grant WHERE root_user_id = $1', [account.id]))
        .rowCount
    return { account, service, allow, grants, real_user_id, client_id: service.client_id }
  }
  const gone = [400, 'This page is out of date']

  test.each([
    [
      'the service is blocked',
      ({ client_id }: { client_id: string }) => blockClient(server.database.sql, client_id, true),
    ],
    [
      'the account is blocked',
      ({ account }: { account: Account }) =>
        server.database.pool.query('UPDATE root_user SET blocked_at = now() WHERE id = $1', [account.id]),
    ],
    [
      'the sessions of the account have ended',
      ({ account }: { account: Account }) =>
        server.post('/api/v1/alpha/auth/signout', { token: account.token }),
    ],
  ])('grants nothing once %s', async (_what, happens) => {
    const opened = await open()
    await happens(opened)
    expect(await opened.allow()).toEqual(gone)
    expect(await opened.grants()).toBe(0)
  })

  test('grants nothing to a service that is blocked at this moment', async () => {
    const { allow, grants, real_user_id, client_id } = await open()
    const [status] = await inBetween(server, {
      lock: `SELECT FROM real_user WHERE id = ${real_user_id} FOR UPDATE`,
      change: `UPDATE client SET blocked_at = now() WHERE client_id = '${client_id}'`,
      call: allow,
    })
    // The page is shown again, which the service would have to be there for; the next response says that it is not.
    expect(status).toBe(422)
    expect(await grants()).toBe(0)
    expect(await allow()).toEqual(gone)
  })
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

test('a new grant is told to the parent by mail, which names the service', async () => {
  const before = (await server.outbox()).length
  const service = await addService(server, { name: 'Night Lab (Seoul)' })
  await granted(server, parent, { children: [child] }, service)
  expect((await server.outbox()).slice(before)).toMatchObject([
    {
      channel: 'email',
      to: parent.email,
      subject: 'Companion 계정에 다른 서비스가 연결되었습니다',
      text: expect.stringContaining('‘Night Lab (Seoul)’ 서비스'),
    },
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
  expect(await error(refresh(tokens.refresh_token ?? ''))).toBe('invalid_grant')
})

test('declining tells the service so', async () => {
  const connection = await connect(server, await addService(server))
  const browser = createBrowser(server.url)
  const { location } = await browser.ask(await connection.authorizeUrl())
  const finished = await browser.ask(location, { action: 'decline' })
  const { location: target } = await browser.ask(finished.location)
  const response = new URL(target)
  expect(`${response.origin}${response.pathname}`).toBe(REDIRECT)
  expect(Object.fromEntries(response.searchParams)).toMatchObject({
    error: 'access_denied',
    state: connection.state,
    iss: server.url,
  })
})

describe('a service that proves itself by its own key', () => {
  /** Adds a service with a key of its own, and resolves to how it asks for a token of its own. */
  async function withKey(alg = 'ES256') {
    const { client_secret, askToken } = await addSigningService(server, { alg })
    expect(client_secret).toBeUndefined()
    return askToken
  }
  const noClient = { status: 401, body: { error: 'invalid_client' } }

  test('gets tokens for itself', async () => {
    const ask = await withKey()
    const jti = randomUUID()
    const { status, body } = await ask({ jti })
    expect(status).toBe(200)
    expect((await server.get('/api/v1/beta/user/real-user', { token: body.access_token })).body).toEqual([])
    expect(await ask({ jti })).toMatchObject(noClient)
    const stranger = await generateKeyPair('ES256')
    expect(await ask({ key: stranger.privateKey })).toMatchObject(noClient)
  })

  test('signs in each of the ways that the metadata lists', async () => {
    const { body } = await server.get('/.well-known/oauth-authorization-server')
    const algorithms: string[] = body.token_endpoint_auth_signing_alg_values_supported
    expect(algorithms).toContain('ES384')
    for (const alg of algorithms) expect([alg, (await (await withKey(alg))()).status]).toEqual([alg, 200])
  })

  test('gets one token of one assertion that it sends ten times at once', async () => {
    const ask = await withKey()
    const jti = randomUUID()
    const responses = await Promise.all(Array.from({ length: 10 }, () => ask({ jti })))
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const response of responses) if (response.status !== 200) expect(response).toMatchObject(noClient)
  })

  test('is refused with an assertion for somebody else, or for longer than 5 minutes', async () => {
    const ask = await withKey()
    for (const aud of [server.url, `${server.url}/oauth/token`, [server.url]])
      expect((await ask({ aud })).status).toBe(200)
    for (const aud of [
      'https://other-as.example/oauth/token',
      [server.url, 'https://other-as.example'],
      `${server.url}/oauth/introspect`,
    ])
      expect(await ask({ aud })).toMatchObject(noClient)
    expect((await ask({ life: '5m' })).status).toBe(200)
    for (const life of ['6m', '10y']) expect(await ask({ life })).toMatchObject(noClient)
  })

  test('is told what is wrong with its assertion', async () => {
    const ask = await withKey()
    const jti = randomUUID()
    await ask({ jti })
    const { privateKey: stranger } = await generateKeyPair('ES256')
    const wrong: [Parameters<typeof ask>[0], string][] = [
      [{ jti }, 'only be used once'],
      [{ key: stranger }, 'signature'],
      [{ aud: 'https://evil.example/oauth/token' }, 'aud'],
      [{ life: '6m' }, 'exp must be at most 5 minutes ahead'],
    ]
    for (const [given, reason] of wrong)
      expect((await ask(given)).body.error_description).toMatch(
        new RegExp(`its own key has signed \\(private_key_jwt\\): .*${reason}`),
      )
  })

  test('is refused with an assertion for another server, whatever address the headers claim', async () => {
    const ask = await withKey()
    for (const headers of elsewhere)
      expect(await ask({ aud: 'https://evil.example/oauth/token' }, headers)).toMatchObject(noClient)
  })
})

describe('a service with a secret', () => {
  const form = { grant_type: 'client_credentials', scope: 'child:read' }
  const byHeader = (service: AddedClient) =>
    server.post('/oauth/token', { form, headers: { authorization: basic(service) } })
  const byBody = ({ client_id, client_secret = '' }: AddedClient) =>
    server.post('/oauth/token', { form: { ...form, client_id, client_secret } })

  test.each([
    ['in the header', false, byHeader, byBody, 'by HTTP Basic (client_secret_basic)'],
    ['in the body', true, byBody, byHeader, 'by its secret in the body (client_secret_post)'],
  ])('sends it %s, and an error names this way', async (_where, is_secret_in_body, right, wrong, way) => {
    const service = await addService(server, { is_secret_in_body })
    expect((await right(service)).status).toBe(200)
    for (const response of [await wrong(service), await right({ ...service, client_secret: 'wrong' })]) {
      expect(response).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
      expect(response.body.error_description).toContain(way)
    }
  })

  test('is not needed, and is told so, by one with keys of its own and by one that is public', async () => {
    const { publicKey } = await generateKeyPair('ES256')
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', use: 'sig', kid: 'one' }] }
    for (const [fields, way] of [
      [{ jwks }, 'by an assertion that its own key has signed (private_key_jwt)'],
      [{ is_public: true }, 'without a secret (none)'],
    ] as const) {
      const service = { ...(await addService(server, fields)), client_secret: 'a-secret' }
      for (const response of [await byHeader(service), await byBody(service)]) {
        expect(response).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
        expect(response.body.error_description).toContain(`registered to do it ${way}`)
      }
    }
  })

  test('changes it over a day, in which both are good', async () => {
    const old = await addService(server)
    const rotated = await rotateSecret(server.database.sql, old.client_id, { overlapSeconds: 3600 })
    const next = { ...old, client_secret: rotated?.client_secret ?? '' }
    expect([(await byHeader(old)).status, (await byHeader(next)).status]).toEqual([200, 200])
    await server.database.pool.query(`UPDATE client SET previous_secret_until = now() WHERE client_id = $1`, [
      old.client_id,
    ])
    expect([(await byHeader(old)).status, (await byHeader(next)).status]).toEqual([401, 200])
  })

  test('that leaked loses it and every token at once', async () => {
    const { token, tokens, refresh, service } = await granted(server, parent, {
      scope: 'child:read offline_access',
      children: [child],
    })
    expect((await readChild(token)).status).toBe(200)
    await rotateSecret(server.database.sql, service.client_id, 'leaked')
    expect((await readChild(token)).status).toBe(401)
    expect((await byHeader(service)).status).toBe(401)
    expect(await refresh(tokens.refresh_token ?? '').catch((error: Error) => error)).toBeInstanceOf(Error)
  })
})

/** What a caller may say of where it has found the service. */
const elsewhere = [
  { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
  { forwarded: 'host=evil.example;proto=https' },
  { host: 'evil.example' },
]

test('no header and no target says where the service is', async () => {
  const paths = ['/.well-known/oauth-authorization-server', '/openapi.json']
  const ask = (path: string, headers: Record<string, string>) =>
    new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(server.url)
      const sent = httpRequest({ hostname, port, path, headers }, (response) => {
        response.toArray().then((parts) => resolve(String(Buffer.concat(parts))), reject)
      })
      sent.on('error', reject).end()
    })
  for (const path of paths) {
    for (const headers of elsewhere) expect(await ask(path, headers)).not.toContain('evil.example')
    const absolute = await ask(`http://evil.example${path}`, { host: 'evil.example' })
    expect(absolute).toContain(new URL(server.url).host)
    expect(absolute).not.toContain('evil.example')
  }
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
    expect(await error(connection.exchange(redirect, REDIRECT, oauth.generateRandomCodeVerifier()))).toBe(
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
    expect(await error(connection.exchange(redirect, `${REDIRECT}/2`))).toBe('invalid_grant')
  })

  test('a code that is used twice, which ends what it has given', async () => {
    const { connection, browser } = await begin()
    const redirect = await connection.consent(browser, parent, { children: [child] })
    const { access_token } = await connection.exchange(redirect)
    expect((await readChild(access_token)).status).toBe(200)
    expect(await error(connection.exchange(redirect))).toBe('invalid_grant')
    expect((await readChild(access_token)).status).toBe(401)
  })

  test('a code after a minute', async () => {
    const { connection, browser } = await begin()
    const redirect = await connection.consent(browser, parent, { children: [child] })
    laterBy(61)
    expect(await error(connection.exchange(redirect))).toBe('invalid_grant')
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
    expect(await error(refresh(tokens.refresh_token ?? ''))).toBe('invalid_grant')
    expect(await error(refresh(next.refresh_token ?? ''))).toBe('invalid_grant')
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
    expect(await error(other.connection.refresh(refresh_token))).toBe('invalid_grant')
    expect(await other.connection.introspect(access_token)).toMatchObject({ active: false })
    await error(other.connection.revoke(refresh_token))
    expect((await readChild(access_token)).status).toBe(200)
  })

  test('a wrong secret, and a service that does not exist', async () => {
    const { service } = await begin()
    for (const client of [
      { ...service, client_secret: 'wrong' },
      { client_id: randomUUID(), client_secret: 'wrong' },
    ]) {
      const connection = await connect(server, client)
      const response = connection.clientCredentials('child:read').then(
        () => 'accepted',
        (error: any) => String(error.message),
      )
      expect(await response).toContain('WWW-Authenticate')
    }
  })

  test('a scope that the service was not admitted to, or that does not exist', async () => {
    const service = await addService(server, { scopes: ['child:read'] })
    const connection = await connect(server, service)
    for (const scope of ['child:read notes:read', 'openid', 'child:read email']) {
      const { location } = await createBrowser(server.url).ask(await connection.authorizeUrl({ scope }))
      expect(errorAt(location)).toBe('invalid_scope')
    }
    expect(await error(connection.clientCredentials('notes:read'))).toBe('invalid_scope')
  })

  test.each([
    ['with commas', 'child:read,usage:read', 'child:read,usage:read is not a scope of this service'],
    ['in another case', 'CHILD:READ', 'CHILD:READ is not a scope of this service'],
    ['beside known ones', 'child:read sleep:read', 'sleep:read is not a scope of this service'],
    ['of nothing', '', 'scope must name'],
    ['of blanks', '  ', 'scope'],
    ['left out', undefined, 'scope must name'],
    ['that opens nothing', 'offline_access', 'scope must name'],
  ])('a scope %s, before anybody is asked', async (_how, scope, said) => {
    const { connection, service, browser } = await begin()
    const url = await connection.authorizeUrl({ scope: scope ?? '' })
    if (scope === undefined) url.searchParams.delete('scope')
    const { location } = await browser.ask(url)
    const response = new URL(location)
    expect(`${response.origin}${response.pathname}`).toBe(REDIRECT)
    expect(response.searchParams.get('error')).toBe('invalid_scope')
    expect(response.searchParams.get('error_description')).toContain(said)
    expect(response.searchParams.get('state')).toBe(connection.state)
    const own = await server.post('/oauth/token', {
      form: { grant_type: 'client_credentials', ...(scope === undefined ? {} : { scope }) },
      headers: { authorization: basic(service) },
    })
    expect(own).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })
    expect(own.body.error_description).toContain(said)
  })

  test.each([
    ['form_post', '?', 'unsupported_response_mode'],
    ['query.jwt', '?', 'unsupported_response_mode'],
    ['fragment', '#', 'invalid_request'],
  ])('an answer by %s, and the service hears of it', async (response_mode, mark, error) => {
    const { connection, browser } = await begin()
    const url = await connection.authorizeUrl()
    url.searchParams.set('response_mode', response_mode)
    const { status, location } = await browser.ask(url)
    expect(status).toBe(303)
    expect(location).toContain(`${REDIRECT}${mark}error=${error}`)
  })

  test('the flows that are off', async () => {
    const { connection, service, browser } = await begin()
    const implicit = await connection.authorizeUrl()
    implicit.searchParams.set('response_type', 'token')
    expect((await browser.ask(implicit)).location).toContain('#error=')
    const password = { grant_type: 'password', username: parent.email, password: PASSWORD }
    expect(
      await server.post('/oauth/token', { form: password, headers: { authorization: basic(service) } }),
    ).toMatchObject({ status: 400, body: { error: 'unsupported_grant_type' } })
    for (const path of ['/oauth/reg', '/reg', '/oauth/device', '/device/auth', '/oauth/me'])
      expect((await server.post(path, { form: {} })).status).toBe(404)
  })

  test('a client of the public without a secret asks for tokens of its own', async () => {
    const connection = await connect(server, await addService(server, { is_public: true }))
    expect(await error(connection.clientCredentials('child:read'))).toBe('invalid_request')
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
