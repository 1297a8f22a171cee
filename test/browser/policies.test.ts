import { expect, test } from 'vitest'
import { addChild, signUp } from '../support/family.ts'
import { startServer, useServer } from '../support/server.ts'

const APP = 'https://app.example.com'
const server = useServer({
  CORS_ORIGINS: `${APP},http://localhost:8081`,
  PUBLIC_URL: 'https://api.example.com',
})

const PAGES = ['/docs', '/docs/errors', '/reset-password?token=x']
const OTHERS = ['/healthz', '/api/v1/beta/user/me', '/nowhere', '/trpc/account.me', '/openapi.json']

test.each([...PAGES, ...OTHERS])('%s says what a browser may do with it', async (path) => {
  const { headers } = await server.get(path)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('x-frame-options')).toBe('DENY')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains')
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
  expect(headers.get('x-powered-by')).toBeNull()
})

test('only pages may load or send anything', async () => {
  for (const path of OTHERS) {
    const { headers } = await server.get(path)
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none';base-uri 'none';frame-ancestors 'none'",
    )
  }
})

test('nobody keeps what holds data of a family, or a token', async () => {
  const { token } = await signUp(server)
  const child = await addChild(server, token)
  const day = `real_user_id=${child.real_user_id}&current_date=2026-03-01`
  for (const path of [
    '/api/v1/beta/user/me',
    `/api/v1/beta/chart/recent?${day}`,
    '/trpc/account.me?input={}',
  ]) {
    const { status, headers } = await server.get(path, { token })
    expect([path, status, headers.get('cache-control')]).toEqual([path, 200, 'no-store'])
  }
  const form = { username: 'nobody@example.com', password: 'x' }
  const refused = await server.post('/api/v1/alpha/auth/email/signin', { form })
  expect([refused.status, refused.headers.get('cache-control')]).toEqual([404, 'no-store'])
  expect((await server.get('/docs/assets/reference.css')).headers.get('cache-control')).toContain('public')
})

test('a service without https does not insist on it', async () => {
  const plain = await startServer({})
  expect((await plain.get('/healthz')).headers.get('strict-transport-security')).toBeNull()
  await plain.stop()
})

const preflight = (origin: string, path: string) =>
  fetch(`${server.url}${path}`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    },
  })

test.each(['/api/v1/beta/user/me', '/trpc/account.me'])('pages of the app may call %s', async (path) => {
  const asked = await preflight(APP, path)
  expect(asked.status).toBe(204)
  expect(asked.headers.get('access-control-allow-origin')).toBe(APP)
  expect(asked.headers.get('access-control-allow-methods')).toContain('PATCH')
  expect(asked.headers.get('access-control-allow-headers')).toBe('authorization,content-type,idempotency-key')
  const { status, headers } = await server.get(path, { headers: { origin: APP } })
  expect(status).toBe(401)
  expect(headers.get('access-control-allow-origin')).toBe(APP)
  expect(headers.get('access-control-expose-headers')).toContain('Retry-After')
  expect(headers.get('access-control-allow-credentials')).toBeNull()
})

test('an answer for one page is not kept for another', async () => {
  expect((await server.get('/api/v1/beta/user/me')).headers.get('vary')).toContain('Origin')
})

test('pages of others may not', async () => {
  for (const origin of [
    'https://evil.example.com',
    'null',
    'http://app.example.com',
    `${APP}.evil.example.com`,
  ]) {
    expect(
      (await preflight(origin, '/api/v1/beta/user/me')).headers.get('access-control-allow-origin'),
    ).toBeNull()
    const { headers } = await server.get('/healthz', { headers: { origin } })
    expect(headers.get('access-control-allow-origin')).toBeNull()
  }
})

test('an OPTIONS that is no preflight still names the methods', async () => {
  const asked = await fetch(`${server.url}/api/v1/beta/user/me`, {
    method: 'OPTIONS',
    headers: { origin: APP },
  })
  expect(asked.headers.get('allow')).toContain('GET')
})

test('`*` stands for the pages of anybody; without configuration there are none', async () => {
  const [open, closed] = await Promise.all([startServer({ CORS_ORIGINS: '*' }), startServer({})])
  const headers = { origin: 'https://anybody.example.com' }
  const allowed = 'access-control-allow-origin'
  expect((await open.get('/healthz', { headers })).headers.get(allowed)).toBe('*')
  expect((await closed.get('/healthz', { headers })).headers.get(allowed)).toBeNull()
  await Promise.all([open.stop(), closed.stop()])
})
