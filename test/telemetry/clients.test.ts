import { readFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { signIn, signUp } from '../support/family.ts'
import { startServer, useServer } from '../support/server.ts'

const server = useServer({ MIN_CLIENT_VERSIONS: '{"companion-sdk": "0.2.0", "my-app": "3"}' })

const ME = '/api/v1/beta/user/me'
const refused = { status: 426, body: { detail: 'Client version is not supported' } }
const as = (client: string) => ({ headers: { 'x-client': client } })

const seriesOf = async (label: string) => {
  const { body } = await server.get('/metrics')
  const lines = String(body).split('\n')
  return lines.filter(
    (line) => line.startsWith('companion_client_version_requests_total') && line.includes(label),
  )
}

describe('a version that is too old', () => {
  test.each([
    'companion-sdk/0.1.0 (browser)',
    'companion-sdk/0.1.9-beta.1 (browser)',
    'companion-sdk/0.1',
    'companion-sdk/0',
    'my-app/2.99.99 companion-sdk/0.2.0 (react-native)',
    'my-app/3.0 companion-sdk/0.1.0 (react-native)',
  ])('%s is refused over REST and tRPC', async (client) => {
    const { email, token } = await signUp(server)
    expect(await server.get(ME, { token, ...as(client) })).toMatchObject(refused)
    expect(await server.post('/api/v1/alpha/auth/email/signin', { json: {}, ...as(client) })).toMatchObject(
      refused,
    )
    expect(await server.post('/api/v1/gamma/device/devlog', { json: [], ...as(client) })).toMatchObject(
      refused,
    )
    const { status, body } = await server.get('/trpc/account.me', { token, ...as(client) })
    expect([status, body.error.data.detail]).toEqual([426, refused.body.detail])
    // The client itself is refused, and nobody else of the account.
    expect((await signIn(server, email)).status).toBe(200)
  })

  test.each([
    'companion-sdk/0.2.0 (browser)',
    'companion-sdk/0.2.0-beta.1',
    'companion-sdk/0.10 (server)',
    'companion-sdk/1',
    'my-app/3 companion-sdk/0.2.1 (ios)',
    'another/0.0.1',
    'constructor/0.0.1',
    'companion-sdk/unknown',
  ])('%s is not', async (client) => {
    const { token } = await signUp(server)
    expect((await server.get(ME, { token, ...as(client) })).status).toBe(200)
  })

  test.each([
    'companion-sdk',
    'companion-sdk/0.1.0 (',
    '/0.1.0',
    'companion-sdk/0.1.0 (a) (b)',
    `a/${'1'.repeat(40)}`,
    'a/1 b/1 c/1 d/1 companion-sdk/0.1.0',
    '<script>/1',
  ])('nor is a header of another form: %s', async (client) => {
    const { token } = await signUp(server)
    expect((await server.get(ME, { token, ...as(client) })).status).toBe(200)
  })

  test('where nothing is demanded, every version is served', async () => {
    const open = await startServer()
    onTestFinished(() => open.stop())
    const { token } = await signUp(open)
    expect((await open.get(ME, { token, ...as('companion-sdk/0.0.1 (browser)') })).status).toBe(200)
  })
})

test('clients are counted and logged by program, version and platform', async () => {
  const client = 'counted-app/1.2 companion-sdk/0.2.3 (counting)'
  await server.get(ME, as(client))
  await server.get('/trpc/account.me', as(client))
  await expect
    .poll(() => seriesOf('platform="counting"'))
    .toEqual([
      'companion_client_version_requests_total{client="counted-app",version="1.2",platform="counting"} 2',
      'companion_client_version_requests_total{client="companion-sdk",version="0.2.3",platform="counting"} 2',
    ])
  expect(server.log()).toContain(`"client":"${client}"`)
})

test('names that callers make up do not grow the metrics without end', async () => {
  for (let n = 0; n < 130; n++) await server.get('/nowhere', as(`made-up-${n}/1 (nowhere)`))
  await expect.poll(() => seriesOf('client="other"')).toHaveLength(1)
  expect((await seriesOf('companion_client_version_requests_total')).length).toBeLessThanOrEqual(101)
})

test('a page of the app may send the header', async () => {
  const open = await startServer({ CORS_ORIGINS: 'https://app.example.com' })
  onTestFinished(() => open.stop())
  const { headers } = await fetch(`${open.url}${ME}`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://app.example.com',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization,x-client',
    },
  })
  expect(headers.get('access-control-allow-headers')).toBe('authorization,x-client')
})

test('each operation declares the error', () => {
  const { paths } = JSON.parse(readFileSync(new URL('../../server/openapi.json', import.meta.url), 'utf8'))
  const operations = Object.values<any>(paths).flatMap((methods) => Object.values<any>(methods))
  expect(operations.filter(({ responses }) => !responses['426'])).toEqual([])
})
