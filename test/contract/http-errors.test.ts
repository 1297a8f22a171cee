import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { inferRouterInputs } from '@trpc/server'
import { describe, expect, expectTypeOf, inject, onTestFinished, test } from 'vitest'
import { openDatabase } from '@companion/server/database/database.ts'
import { operations } from '@companion/server/http/operations.ts'
import { appRouter } from '@companion/server/router.ts'
import type { AppRouter, TrpcRouter } from '@companion/server/router.ts'
import { addChild, anyPhone, devlogItem, PASSWORD, signIn, signUp } from '../support/family.ts'
import { raw } from '../support/raw-http.ts'
import { isInLab, startServer, useServer } from '../support/server.ts'
import { tally } from '../support/response-tally.ts'

const server = useServer()

const SEND = '/api/v1/alpha/auth/send-sms-auth'
const SIGN_IN = '/api/v1/alpha/auth/email/signin'
const DEVLOG = '/api/v1/gamma/device/devlog'
const json = { 'content-type': 'application/json' }

const error = (status: number, detail: string) => ({ status, body: { detail } })
const notFound = error(404, 'Resource not found')
const broken = error(400, 'Request body is not valid JSON')
const tooLarge = error(413, 'Request body is too large')
const mediaType = error(415, 'Unsupported media type')
const internal = error(500, 'Internal server error. Please try again later.')

const parsed = async (response: ReturnType<typeof raw>) => {
  const { status, text } = await response
  return { status, body: JSON.parse(text) }
}

describe('404', () => {
  test.each([
    '/api/v1/alpha/auth',
    '/api/v1/beta/user/nobody',
    '/api/v3/beta/user/me',
    '/api/v2/beta/user/me',
    '/api/v1/beta/user/me/',
    '/api/v1/beta/user/Me',
    '/API/v1/beta/user/me',
    '/api/v1//beta/user/me',
    '/api/v1/beta/user/../user/me',
    '/api/v1/beta/user/real-user/1/',
    '/api/v1/beta/user/real-user/',
    '/api/v1/beta/user/real-user/%E0%A4%A',
    '/api/v1/beta/user/real-user/%',
    '/%',
    '/%00',
    '/api/v1/beta/user/me%00',
    '/healthz/x',
    '/index.php?x=%',
  ])('%s', async (path) => {
    const { status, text, headers } = await raw(server.url, 'GET', path)
    expect({ status, text }).toEqual({ status: 404, text: '{"detail":"Resource not found"}' })
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
  })

  test('for every method, with a body or not', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND']) {
      expect(await parsed(raw(server.url, method, '/nowhere', { headers: json, body: ['{"a'] }))).toEqual(
        notFound,
      )
    }
  })
})

test('a person who opens an unknown address in a browser gets a page, a program JSON', async () => {
  const asked = (path: string, accept: string, language = 'en') =>
    fetch(`${server.url}${path}`, { headers: { accept, 'accept-language': language } })
  const browsers = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  const page = await asked('/nowhere', browsers, 'ko')
  expect(page.status).toBe(404)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(await page.text()).toContain('페이지를 찾을 수 없습니다')
  for (const [path, accept] of [
    ['/nowhere', '*/*'],
    ['/nowhere', 'application/json, text/html;q=0.5'],
    ['/api/v1/beta/unknown', browsers],
    ['/oauth/unknown', browsers],
  ] as const) {
    const response = await asked(path, accept)
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  }
})

// HAProxy answers a fragment itself.
test.skipIf(isInLab)(
  'a path with scheme and host before it, or a fragment behind it, is the same path',
  async () => {
    const { token } = await signUp(server)
    const query = '?real_user_id=x&current_date=2026-03-01'
    for (const target of [
      `/api/v1/beta/chart/recent${query}`,
      `http://api.example.com/api/v1/beta/chart/recent${query}`,
      `/api/v1/beta/chart/recent${query}#top`,
    ]) {
      const { status, text } = await raw(server.url, 'GET', target, {
        headers: { authorization: `Bearer ${token}` },
      })
      expect([status, JSON.parse(text).detail.map(({ loc }: { loc: string[] }) => loc)]).toEqual([
        422,
        [['query', 'real_user_id']],
      ])
    }
  },
)

describe('405', () => {
  const paths = Map.groupBy(operations(appRouter), ({ operation }) => operation.path)

  test.each([...paths].map(([path, served]) => [path, served] as const))('%s', async (path, served) => {
    const url = path.replaceAll(/\{\w+\}/g, '1')
    const methods = served.map(({ operation }) => operation.method as string)
    const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
      .toSorted()
      .join(', ')
    const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']
    for (const method of others.filter((each) => !allowed.split(', ').includes(each))) {
      const { status, text, headers } = await raw(server.url, method, url)
      const body = method === 'HEAD' ? '' : '{"detail":"Method Not Allowed"}'
      expect([method, status, text, headers.allow]).toEqual([method, 405, body, allowed])
    }
    const { status, text, headers } = await raw(server.url, 'OPTIONS', url)
    expect([status, text, headers.allow]).toEqual([204, '', allowed])
  })

  test.each([
    ['/healthz', 'GET, HEAD'],
    ['/readyz', 'GET, HEAD'],
    ['/metrics', 'GET, HEAD'],
    ['/reset-password', 'GET, HEAD, POST'],
  ])('%s knows %s alone', async (path, allowed) => {
    const others = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']
    for (const method of others.filter((each) => !allowed.split(', ').includes(each))) {
      const { status, text, headers } = await raw(server.url, method, path)
      const body = '{"detail":"Method Not Allowed"}'
      expect([method, status, text, headers.allow]).toEqual([method, 405, body, allowed])
    }
  })

  test('HEAD is served where GET is', async () => {
    const { token } = await signUp(server)
    const headers = { authorization: `Bearer ${token}` }
    const [head, get] = [
      await raw(server.url, 'HEAD', '/api/v1/beta/user/me', { headers }),
      await raw(server.url, 'GET', '/api/v1/beta/user/me', { headers }),
    ]
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers['content-length']).toBe(get.headers['content-length'])
  })
})

describe('413', () => {
  test('a body over the limit', async () => {
    expect(await server.post(SEND, { json: { phone: anyPhone(), x: 'x'.repeat(100_000) } })).toMatchObject(
      tooLarge,
    )
    expect((await server.post(SEND, { json: { phone: anyPhone(), x: 'x'.repeat(99_000) } })).status).toBe(200)
    const form = { username: 'a', password: 'x'.repeat(100_001) }
    expect(await server.post(SIGN_IN, { form })).toMatchObject(tooLarge)
  })

  test('6 MB of usage logs', async () => {
    const body = JSON.stringify([{ x: 'x'.repeat(6_000_000) }])
    expect(await server.post(DEVLOG, { body, headers: json })).toMatchObject(tooLarge)
  })

  test('6 MB that come in pieces, without a length', async () => {
    const pieces = Array.from({ length: 60 }, () => 'x'.repeat(100_000))
    expect(await parsed(raw(server.url, 'POST', DEVLOG, { headers: json, body: pieces }))).toEqual(tooLarge)
  })

  test('a body that grows when it is unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(200_000_000, ' '))
    expect(bomb.length).toBeLessThan(300_000)
    const headers = { ...json, 'content-encoding': 'gzip' }
    const before = process.memoryUsage().rss
    expect(await server.post(DEVLOG, { body: bomb, headers })).toMatchObject(tooLarge)
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000)
    const small = gzipSync(JSON.stringify({ phone: anyPhone(), x: ' '.repeat(200_000) }))
    expect(await server.post(SEND, { body: small, headers })).toMatchObject(tooLarge)
  })
})

describe('415', () => {
  test.each([
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/merge-patch+json',
    'nonsense',
    '',
  ])('content type %j', async (type) => {
    const body = JSON.stringify({ phone: anyPhone() })
    expect(await server.post(SEND, { body, headers: { 'content-type': type } })).toMatchObject(mediaType)
  })

  test('no content type', async () => {
    const body = [JSON.stringify({ phone: anyPhone() })]
    expect(await parsed(raw(server.url, 'POST', SEND, { body }))).toEqual(mediaType)
  })

  test('an encoding that is none', async () => {
    const headers = { ...json, 'content-encoding': 'compress' }
    expect(await server.post(SEND, { body: '{}', headers })).toMatchObject(mediaType)
  })

  // HAProxy hangs up while a body that nobody waits for is still being sent.
  test.skipIf(isInLab)('says so of a large body too', async () => {
    const headers = { 'content-type': 'text/plain' }
    expect(await server.post(DEVLOG, { body: 'x'.repeat(6_000_000), headers })).toMatchObject(mediaType)
  })

  test.each([
    'application/json; charset=UTF-8',
    'Application/JSON',
    'application/json;charset="utf-8"',
    'application/json; x=y',
    'application/json; charset=utf8',
    'application/json; charset=us-ascii',
    'application/json; charset=iso-8859-1',
    'application/json; charset=nonsense',
  ])('content type %s is as good as any', async (type) => {
    const body = JSON.stringify({ phone: anyPhone() })
    expect((await server.post(SEND, { body, headers: { 'content-type': type } })).status).toBe(200)
  })
})

describe('broken JSON', () => {
  test.each([
    '{"phone":',
    '{phone: 1}',
    "{'phone': '1'}",
    '{"phone": "+821012345678",}',
    '{"phone": NaN}',
    '{"phone": "\u0001"}',
    '{"phone": "\\x"}',
    ' ',
    'undefined',
    '{} {}',
    '[',
    '['.repeat(50_000),
  ])('%.20j', async (body) => {
    const response = await server.post(SEND, { body, headers: json })
    expect(response).toMatchObject(broken)
    expect(response.body).toEqual(broken.body)
  })

  test.each([
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d])],
    ['an overlong NUL', Buffer.from([0x22, 0xc0, 0x80, 0x22])],
    ['half a surrogate pair as bytes', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['UTF-16', Buffer.from('{"phone":"+821012345678"}', 'utf16le')],
  ])('%s', async (_name, body) => {
    expect(await server.post(SEND, { body, headers: json })).toMatchObject(broken)
  })

  test('that was packed badly', async () => {
    const headers = { ...json, 'content-encoding': 'gzip' }
    const whole = gzipSync(JSON.stringify({ phone: anyPhone() }))
    for (const body of [Buffer.from('not gzip'), whole.subarray(0, -12)]) {
      expect(await server.post(SEND, { body, headers })).toMatchObject(broken)
    }
    expect((await server.post(SEND, { body: whole, headers })).status).toBe(200)
  })

  test('a byte order mark is no issue', async () => {
    const body = `\uFEFF${JSON.stringify({ phone: anyPhone() })}`
    expect((await server.post(SEND, { body, headers: json })).status).toBe(200)
  })
})

describe('422', () => {
  const everyKey = {
    type: expect.any(String),
    msg: expect.any(String),
    ctx: { error: expect.any(String) },
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/docs\/errors#\w+$/),
  }

  test('names path, query, body, header and the place in an array', async () => {
    const { token } = await signUp(server)
    const child = await addChild(server, token)
    const item = devlogItem(child.unique_id, '2026-03-01T21:00:00')
    const issues = [
      [
        await server.get('/api/v1/beta/user/real-user/x', { token }),
        { type: 'invalid_type', loc: ['path', 'real_user_id'], input: 'x' },
      ],
      [
        await server.get('/api/v1/beta/chart/recent', {
          token,
          query: { real_user_id: child.real_user_id, current_date: '2026-02-30' },
        }),
        { type: 'invalid', loc: ['query', 'current_date'], input: '2026-02-30' },
      ],
      [
        await server.get('/api/v1/beta/chart/recent', { token }),
        { type: 'missing', loc: ['query', 'real_user_id'], input: null },
      ],
      [await server.post(SEND, { json: {} }), { type: 'missing', loc: ['body', 'phone'], input: null }],
      [
        await server.post(SEND, { json: { phone: anyPhone(), purpose: 7 } }),
        { type: 'invalid_value', loc: ['body', 'purpose'], input: 7 },
      ],
      [
        await server.post('/api/v1/alpha/auth/refresh-token', {
          json: { refresh_token: 'x' },
          headers: { 'idempotency-key': 'short' },
        }),
        { type: 'invalid', loc: ['header', 'Idempotency-Key'], input: null },
      ],
      [
        await server.post(DEVLOG, { json: [item, { ...item, log_file_id: -1 }] }),
        { type: 'too_small', loc: ['body', '1', 'log_file_id'], input: -1 },
      ],
      [await server.post(DEVLOG, { json: {} }), { type: 'invalid_type', loc: ['body'], input: null }],
    ] as const
    for (const [response, issue] of issues) {
      expect(response.status).toBe(422)
      expect(response.body).toEqual({ detail: [{ ...everyKey, ...issue }] })
    }
  })

  test('links to a page that this server has, which explains the issue', async () => {
    const { body } = await server.post(SEND, { json: {} })
    const url = new URL(body.detail[0].url)
    const page = await fetch(url)
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    expect(await page.text()).toContain(`id="${url.hash.slice(1)}"`)
  })

  test('links to PUBLIC_URL when there is one', async () => {
    const behind = await startServer({ PUBLIC_URL: 'https://api.example.com/companion/' })
    onTestFinished(() => behind.stop())
    const { body } = await behind.post(SEND, { json: {} })
    expect(body.detail[0].url).toBe('https://api.example.com/companion/docs/errors#missing')
  })

  test.each([[null], ['text'], [5], [true], [[]], [[{ phone: '+821012345678' }]]])(
    'a body that is no object: %j',
    async (body) => {
      const response = await server.post(SEND, { json: body })
      expect(response).toMatchObject({ status: 422, body: { detail: [{ loc: ['body'], input: null }] } })
    },
  )

  test.each<[string, Record<string, string>]>([
    ['nothing', {}],
    ['a length of 0', { 'content-length': '0' }],
    ['a length of 0 and a type', { 'content-length': '0', ...json }],
    ['an empty piece', { 'transfer-encoding': 'chunked', ...json }],
  ])('%s for a body lacks every field', async (_name, headers) => {
    const { status, body } = await parsed(raw(server.url, 'POST', SEND, { headers }))
    expect(status).toBe(422)
    expect(body.detail).toMatchObject([{ type: 'missing', loc: ['body', 'phone'] }])
  })

  test('secrets are never said again, wherever they stand', async () => {
    const secret = 'Sup3r-secret'
    const responses = [
      await server.post(SIGN_IN, { form: { password: secret } }),
      await server.post(SIGN_IN, {
        body: `password=${secret}&password=${secret}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
      await server.post('/api/v1/alpha/auth/phone-number-validation', {
        json: { validnum: [secret], phone: 5 },
      }),
      await server.post('/api/v1/alpha/auth/refresh-token', { json: { refresh_token: { a: secret } } }),
      await server.post('/api/v1/alpha/auth/refresh-token', { json: secret }),
      await server.post('/api/v1/alpha/auth/refresh-token', { json: [secret] }),
      await server.post('/trpc/auth.signIn', { json: { username: 5, password: [secret] } }),
    ]
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 7 }, () => 422))
    expect(JSON.stringify(responses)).not.toContain(secret)
    expect(server.log()).not.toContain(secret)
  })
})

describe('500', () => {
  test('says nothing of the cause, which goes to the log', async () => {
    const { email, token } = await signUp(server)
    const rename = (from: string, to: string) =>
      server.database.pool.query(`ALTER TABLE ${from} RENAME TO ${to}`)
    await rename('root_user', 'hidden_user')
    onTestFinished(async () => {
      await rename('hidden_user', 'root_user').catch(() => undefined)
    })
    const headers = { 'x-request-id': randomUUID() }
    const response = await server.get('/api/v1/beta/user/me', { token, headers })
    expect([response.status, response.body]).toEqual([500, internal.body])
    expect(await signIn(server, email)).toMatchObject(internal)
    const rpc = await server.post('/trpc/auth.signIn', { json: { username: email, password: PASSWORD } })
    expect(rpc.status).toBe(500)
    expect(JSON.stringify(rpc.body)).not.toMatch(/root_user|relation|at .*\.ts|select/i)
    const line = server
      .log()
      .split('\n')
      .find((each) => each.includes(headers['x-request-id']) && each.includes('root_user'))
    expect(line).toContain('does not exist')
    expect(server.log()).not.toContain(email)
    await rename('hidden_user', 'root_user')
    expect((await server.get('/api/v1/beta/user/me', { token })).status).toBe(200)
  })
})

describe('503', () => {
  const away = {
    status: 503,
    body: { detail: 'Part of the service is not available. Please try again later.' },
  }

  // PgBouncer tells the first who asks again what it saw before.
  test.skipIf(isInLab)('while the database is out of reach, which heals by itself', async () => {
    const own = await startServer()
    onTestFinished(() => own.stop())
    const { email, token } = await signUp(own)
    const name = new URL(own.databaseUrl).pathname.slice(1)
    const admin = await openDatabase(inject('postgresUrl'), { pool: 1 })
    onTestFinished(() => admin.close())
    const open = (isOpen: boolean) => admin.pool.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${isOpen}`)
    const me = () => own.get('/api/v1/beta/user/me', { token })

    const racing = Array.from({ length: 20 }, me)
    await open(false)
    await admin.pool.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
      name,
    ])
    for (const kind of Object.keys(tally(await Promise.all(racing)))) {
      expect(kind).toBeOneOf(['200', '503 Part of the service is not available. Please try again later.'])
    }
    expect(await me()).toMatchObject(away)
    expect(await signIn(own, email)).toMatchObject(away)
    expect((await own.get('/readyz')).status).toBe(503)
    expect((await own.get('/healthz')).status).toBe(200)

    await open(true)
    expect((await me()).status).toBe(200)
    expect((await signIn(own, email)).status).toBe(200)
    expect((await own.get('/readyz')).status).toBe(200)
  })
})

describe('X-Request-Id', () => {
  const me = (headers: Record<string, string>) => server.get('/api/v1/beta/user/me', { headers })

  test('is kept when it is one, and stands in the log', async () => {
    const id = `app-${randomUUID()}`
    expect((await me({ 'x-request-id': id })).headers.get('x-request-id')).toBe(id)
    expect(server.log()).toContain(`"request_id":"${id}"`)
  })

  test.each(['short', 'x'.repeat(129), 'with space here', '<script>alert(1)', '"quoted-id"', 'id;drop'])(
    'is made when it is none: %j',
    async (id) => {
      const made = (await me({ 'x-request-id': id })).headers.get('x-request-id')
      expect(made).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    },
  )

  test('is made for every request', async () => {
    const ids = [await me({}), await me({}), await server.get('/nowhere')].map(({ headers }) =>
      headers.get('x-request-id'),
    )
    expect(new Set(ids).size).toBe(3)
  })
})

describe('over tRPC', () => {
  const call = (procedure: string, input: unknown, headers: Record<string, string> = {}) =>
    server.post(`/trpc/${procedure}`, { json: input, headers })

  test('an error has the status and detail that REST has, and no stack', async () => {
    const account = await signUp(server)
    const set = (values: { blocked_at?: Date | null; is_signup_completed?: boolean }) =>
      server.database.sql.updateTable('root_user').set(values).where('id', '=', account.id).execute()
    const attempt = (password: string) => call('auth.signIn', { username: account.email, password })
    const seen = []
    seen.push(await call('auth.signIn', { username: 'nobody@example.com', password: 'x' }))
    seen.push(await attempt('wrong password'))
    await set({ blocked_at: new Date() })
    seen.push(await attempt(PASSWORD))
    await set({ blocked_at: null, is_signup_completed: false })
    seen.push(await attempt(PASSWORD))
    await server.delete('/api/v1/beta/user/root-user', { token: account.token })
    seen.push(await attempt(PASSWORD))
    seen.push(await call('auth.refresh', { refresh_token: 'x' }))
    seen.push(await server.get('/trpc/account.me'))
    const expected = [
      [404, 'User not found'],
      [400, 'Password is invalid'],
      [423, 'Access denied. Account blocked'],
      [401, 'Sign-up not completed'],
      [410, 'User is Deleted'],
      [401, 'Could not validate credentials'],
      [401, 'Could not validate credentials'],
    ]
    for (const [n, { status, headers, body }] of seen.entries()) {
      expect(body).toEqual({
        error: {
          message: expected[n]?.[1],
          code: expect.any(Number),
          data: {
            status: expected[n]?.[0],
            httpStatus: expected[n]?.[0],
            detail: expected[n]?.[1],
            requestId: headers.get('x-request-id'),
          },
        },
      })
      expect(status).toBe(expected[n]?.[0])
    }
  })

  test('input that is not valid has the array form', async () => {
    const { status, body } = await call('auth.sendSmsCode', { purpose: 'x' })
    expect(status).toBe(422)
    expect(body.error.data).toMatchObject({
      status: 422,
      detail: [
        {
          type: 'missing',
          loc: ['body', 'phone'],
          url: expect.stringContaining(`${server.url}/docs/errors#`),
        },
        { type: 'invalid_value', loc: ['body', 'purpose'], input: 'x' },
      ],
    })
    const header = await call('auth.refresh', { refresh_token: 'x' }, { 'idempotency-key': 'short' })
    expect(header.body.error.data).toMatchObject({
      status: 422,
      detail: [{ loc: ['header', 'Idempotency-Key'] }],
    })
  })

  test('the rules of HTTP are kept, and each error names its request', async () => {
    const text = { body: 'a=b', headers: { 'content-type': 'text/plain' } }
    const cases = [
      [await call('auth.nothing', {}), notFound],
      [await call('nothing', {}), notFound],
      [await server.post('/trpc/auth.nothing', text), notFound],
      [await server.get('/trpc/%'), notFound],
      [await server.get('/trpc/'), notFound],
      [await server.get('/trpc/auth.signIn'), error(405, 'Method Not Allowed')],
      [await server.put('/trpc/auth.signIn'), error(405, 'Method Not Allowed')],
      [await server.post('/trpc/account.me'), error(405, 'Method Not Allowed')],
      [await server.post('/trpc/account.me', text), error(405, 'Method Not Allowed')],
      [await server.get('/trpc/charts.recent?input={"a'), broken],
      [await server.post('/trpc/auth.signIn', { body: '{"a', headers: json }), broken],
      [
        await server.post('/trpc/auth.signIn', { body: Buffer.from([0x22, 0xff, 0x22]), headers: json }),
        broken,
      ],
      [await server.post('/trpc/auth.signIn', text), mediaType],
      [await server.post('/trpc/auth.signIn', { form: { username: 'a', password: 'b' } }), mediaType],
      [
        await server.post('/trpc/auth.signIn', {
          body: gzipSync('{}'),
          headers: { ...json, 'content-encoding': 'x' },
        }),
        mediaType,
      ],
      [await call('auth.sendSmsCode', { phone: 'x'.repeat(5_000_000) }), tooLarge],
      [await server.get('/trpc/reports.pdf?input={}'), error(404, 'Files are served over REST alone')],
    ] as const
    for (const [{ status, headers, body }, wanted] of cases) {
      const { detail } = wanted.body
      const requestId = headers.get('x-request-id')
      expect(requestId).toMatch(/./)
      expect({ status, data: body.error?.data }).toEqual({
        status: wanted.status,
        data: { status: wanted.status, httpStatus: wanted.status, detail, requestId },
      })
    }
    const allowed = cases.map(([{ headers }]) => headers.get('allow')).filter(Boolean)
    expect(allowed).toEqual(['POST', 'POST', 'GET, HEAD', 'GET, HEAD'])
  })

  test('an operation without fields takes no input, or an empty one', async () => {
    const { token, id } = await signUp(server)
    const me = { status: 200, body: { result: { data: { root_user_id: id } } } }
    expect(await server.get('/trpc/account.me', { token })).toMatchObject(me)
    expect(await server.get('/trpc/account.me?input={}', { token })).toMatchObject(me)
    expect(await server.get('/trpc/account.me?input=5', { token })).toMatchObject({ status: 422 })
    expect(await server.post('/trpc/auth.signOut', { token })).toMatchObject({ status: 200 })
  })

  test('several calls in one request are refused', async () => {
    const refused = {
      status: 400,
      body: {
        error: { data: { detail: 'Batches are not supported', requestId: expect.stringMatching(/./) } },
      },
    }
    const calls = { 0: { refresh_token: 'x' }, 1: { refresh_token: 'y' } }
    expect(await call('auth.refresh,auth.refresh?batch=1', calls)).toMatchObject(refused)
    expect(await call('auth.refresh?batch=1', calls)).toMatchObject(refused)
    expect(await server.get('/trpc/account.me,devices.list?batch=1&input={}')).toMatchObject(refused)
    const stream = { 'trpc-accept': 'application/jsonl' }
    expect(await server.get('/trpc/account.me', { headers: stream })).toMatchObject(refused)
  })

  test('its type lists no operation that answers a file', () => {
    type Modules = TrpcRouter['_def']['record']
    expectTypeOf<Modules>().not.toHaveProperty('reports')
    expectTypeOf<Modules['devlogs']>().not.toHaveProperty('export')
    expectTypeOf<Modules['devlogs']['upload']>().toEqualTypeOf<
      AppRouter['_def']['record']['devlogs']['upload']
    >()
    expectTypeOf<inferRouterInputs<TrpcRouter>['account']['me']>().extract<undefined>().toBeUndefined()
  })

  test('429 carries Retry-After', async () => {
    const limited = await startServer({ RATE_LIMITS: 'on' })
    onTestFinished(() => limited.stop())
    const phone = anyPhone()
    const send = () => limited.post('/trpc/auth.sendSmsCode', { json: { phone } })
    for (let n = 0; n < 3; n++) expect((await send()).status).toBe(200)
    const refused = await send()
    expect(refused.status).toBe(429)
    expect(refused.body.error.data).toMatchObject({ status: 429, detail: 'Too many requests' })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

test('no answer says what the server is made of', async () => {
  for (const response of [
    await server.get('/nowhere'),
    await server.get('/healthz'),
    await server.post(SEND, { json: {} }),
  ]) {
    expect(response.headers.get('x-powered-by')).toBeNull()
    expect(response.headers.get('server')).toBeNull()
  }
})
