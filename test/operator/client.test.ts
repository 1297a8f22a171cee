import { expect, test } from 'vitest'
import { companion } from '../support/command.ts'
import { addChild, signUp } from '../support/family.ts'
import { connect, createBrowser, REDIRECT } from '../support/oauth.ts'
import { useServer } from '../support/server.ts'
import { temporaryFile } from '../support/temporary-file.ts'

const server = useServer()
const run = (...args: string[]) => companion(server, 'client', ...args)

const ADD = `add --name Study --publisher Hospital --url https://study.example.org --contact study@example.org
  --redirect-uri ${REDIRECT} --scope child:read --scope usage:read`.split(/\s+/)

test('an operator adds a service, sees it, gives it another secret, blocks and removes it', async () => {
  const { result: added } = await run(...ADD, '--json')
  expect(added).toEqual({ client_id: expect.any(String), client_secret: expect.any(String) })
  const { client_id } = added
  const parent = await signUp(server)
  const { real_user_id } = await addChild(server, parent.token)
  const connection = await connect(server, added)
  const request = { scope: 'child:read usage:read', children: [real_user_id] }
  const redirect = await connection.consent(createBrowser(server.url), parent, request)
  const { access_token: token } = await connection.exchange(redirect)
  const read = async () => (await server.get('/api/v1/beta/user/real-user', { token })).status
  expect(await read()).toBe(200)

  const shown = {
    client_id,
    name: 'Study',
    publisher: 'Hospital',
    url: 'https://study.example.org',
    contact: 'study@example.org',
    redirect_uris: [REDIRECT],
    scopes: ['child:read', 'usage:read'],
    is_public: false,
    is_secret_in_body: false,
    blocked_at: null,
    created_at: expect.any(String),
    grants: 1,
  }
  expect((await run('show', client_id, '--json')).result).toEqual(shown)
  expect((await run('list', '--json')).result).toEqual([shown])
  expect((await run('list')).out).toMatch(/Study +Hospital +child:read usage:read +1 +- +20/)
  expect((await run('show', client_id)).out).toContain('confidential')

  const ask = async (client_secret: string) => {
    const form = { grant_type: 'client_credentials', scope: 'child:read' }
    const authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`
    return (await server.post('/oauth/token', { form, headers: { authorization } })).status
  }
  const begun = Date.now()
  const rotated = (await run('rotate-secret', client_id, '--json')).result
  const hours = (text: string) => (Date.parse(text) - begun) / 3_600_000
  expect(hours(rotated.previous_until)).toBeCloseTo(24, 1)
  expect([await ask(added.client_secret), await ask(rotated.client_secret), await read()]).toEqual([
    200, 200, 200,
  ])
  const again = (await run('rotate-secret', client_id, '--overlap', 'PT90M', '--json')).result
  expect(hours(again.previous_until)).toBeCloseTo(1.5, 1)
  const secrets = [added, rotated, again].map(({ client_secret }) => client_secret)
  expect(await Promise.all(secrets.map(ask))).toEqual([401, 200, 200])
  expect((await run('block', client_id, '--json')).result).toEqual({ client_id, blocked: true })
  expect(await read()).toBe(401)
  await run('unblock', client_id)
  expect(await read()).toBe(200)
  const leaked = (await run('rotate-secret', client_id, '--leaked', '--json')).result
  expect(leaked).toMatchObject({ client_id, previous_until: null })
  expect(await read()).toBe(401)
  expect(await Promise.all([again, leaked].map(({ client_secret }) => ask(client_secret)))).toEqual([
    401, 200,
  ])
  expect((await run('remove', client_id, '--json')).result).toEqual({ client_id, removed: true })
  expect(await ask(leaked.client_secret)).toBe(401)
  expect((await run('list')).out).toBe('There is no client\n')
})

test('a public service has no secret, and one with keys of its own neither', async () => {
  expect((await run(...ADD, '--public', '--json')).result).toEqual({ client_id: expect.any(String) })
  const keys = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'AAAA' }] }
  const file = await temporaryFile('keys.json', JSON.stringify(keys))
  const { result } = await run(...ADD, '--jwks', file, '--json')
  expect(result).toEqual({ client_id: expect.any(String) })
  expect((await run('rotate-secret', result.client_id)).said).toContain('no client with this id and a secret')
})

test('--auth says how a service proves who it is', async () => {
  const keys = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'AAAA' }] }
  const file = await temporaryFile('keys.json', JSON.stringify(keys))
  const only = { client_id: expect.any(String) }
  const secret = { ...only, client_secret: expect.any(String) }
  for (const [way, more, made, kind] of [
    ['client_secret_basic', [], secret, 'confidential'],
    ['client_secret_post', [], secret, 'confidential, its secret comes in the body'],
    ['private_key_jwt', ['--jwks', file], only, 'confidential'],
    ['none', [], only, 'public'],
  ] as const) {
    const { result } = await run(...ADD, '--auth', way, ...more, '--json')
    expect(result).toEqual(made)
    expect((await run('show', result.client_id)).out).toMatch(new RegExp(`^kind +${kind}$`, 'm'))
  }
})

test('a scope may be given by its name in SMART App Launch', async () => {
  const smart = [
    'patient/Observation.rs',
    'patient/Device.read',
    'openid',
    'launch/patient',
    'offline_access',
  ]
  const { client_id } = (await run(...ADD, ...smart.flatMap((name) => ['--scope', name]), '--json')).result
  const { scopes } = (await run('show', client_id, '--json')).result
  expect(scopes).toEqual(['child:read', 'usage:read', 'offline_access'])
  const alone = ADD.slice(0, -4)
  expect(await run(...alone, '--scope', 'openid', '--scope', 'offline_access')).toMatchObject({
    code: 1,
    said: expect.stringContaining('--scope must name what the service wants to reach'),
  })
})

test.each([
  ['--leaked', '--overlap', 'PT1H'],
  ['--overlap', 'PT0H'],
  ['--overlap', 'P31D'],
  ['--overlap', '24'],
])('a secret is not replaced with %s %s %s', async (...options) => {
  const { client_id } = (await run(...ADD, '--json')).result
  expect(await run('rotate-secret', client_id, ...options)).toMatchObject({ code: 1, out: '' })
})

test.each([
  ['a scope that does not exist', ['--scope', 'everything'], 'must be one of child:read'],
  ['a redirect without TLS', ['--redirect-uri', 'http://study.example.org/'], 'must be https://'],
  ['a redirect with a fragment', ['--redirect-uri', 'https://study.example.org/#here'], 'have no fragment'],
  ['a redirect to a script', ['--redirect-uri', 'javascript:alert(1)'], 'must be https://'],
  ['an address without TLS', ['--url', 'http://study.example.org'], 'must start with https://'],
  ['no e-mail', ['--contact', 'study'], 'must be an e-mail address'],
  [
    'a name that turns the page around',
    ['--name', 'Sleep\u202estudy'],
    'must have 1 to 60 printable characters',
  ],
  ['a file that is not there', ['--jwks', '/nowhere.json'], 'cannot be read'],
  ['a public service with keys', ['--public', '--jwks', '/nowhere.json'], 'Choose --public or --jwks'],
  ['a way that does not exist', ['--auth', 'client_secret_jwt'], 'Allowed choices are client_secret_basic'],
  ['an assertion without keys', ['--auth', 'private_key_jwt'], '--auth private_key_jwt needs --jwks'],
  [
    'a secret beside keys',
    ['--auth', 'client_secret_basic', '--jwks', '/nowhere.json'],
    '--auth client_secret_basic does not go with --jwks',
  ],
  [
    'a secret of a public service',
    ['--auth', 'client_secret_post', '--public'],
    '--auth client_secret_post does not go with --public',
  ],
])('%s is refused', async (_what, more, text) => {
  const { code, said } = await run(...ADD, ...more)
  expect(code).toBe(1)
  expect(said).toContain(text)
})

test.each(['show', 'block', 'unblock', 'remove'])('%s says when there is no such service', async (name) => {
  expect(await run(name, 'nobody')).toMatchObject({ code: 1, said: 'There is no client with this id\n' })
})
