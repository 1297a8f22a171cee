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

  const { client_secret } = (await run('rotate-secret', client_id, '--json')).result
  expect(client_secret).not.toBe(added.client_secret)
  expect(await read()).toBe(200)
  expect((await run('block', client_id, '--json')).result).toEqual({ client_id, blocked: true })
  expect(await read()).toBe(401)
  await run('unblock', client_id)
  expect(await read()).toBe(200)
  expect((await run('remove', client_id, '--json')).result).toEqual({ client_id, removed: true })
  expect(await read()).toBe(401)
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

test.each([
  ['a scope that does not exist', ['--scope', 'everything'], 'must be one of child:read'],
  ['a redirect without TLS', ['--redirect-uri', 'http://study.example.org/'], 'must be https://'],
  ['a redirect with a fragment', ['--redirect-uri', 'https://study.example.org/#here'], 'have no fragment'],
  ['a redirect to a script', ['--redirect-uri', 'javascript:alert(1)'], 'must be https://'],
  ['an address without TLS', ['--url', 'http://study.example.org'], 'must start with https://'],
  ['no e-mail', ['--contact', 'study'], 'must be an e-mail address'],
  ['a name that turns the page around', ['--name', 'Sleep\u202estudy'], 'must have 1 to 60 characters'],
  ['a file that is not there', ['--jwks', '/nowhere.json'], 'cannot be read'],
  ['a public service with keys', ['--public', '--jwks', '/nowhere.json'], 'Choose --public or --jwks'],
])('%s is refused', async (_what, more, text) => {
  const { code, said } = await run(...ADD, ...more)
  expect(code).toBe(1)
  expect(said).toContain(text)
})

test.each(['show', 'block', 'unblock', 'remove'])('%s says when there is no such service', async (name) => {
  expect(await run(name, 'nobody')).toMatchObject({ code: 1, said: 'There is no client with this id\n' })
})
