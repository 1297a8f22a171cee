import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { readConfig } from '@companion/server/config/config.ts'
import { createLogger } from '@companion/server/telemetry/log.ts'
import { startService } from '@companion/server/service.ts'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from '../support/client.ts'
import { cloneDatabase } from '../support/database.ts'
import { addChild, PASSWORD, signIn, signUp } from '../support/family.ts'
import { useFcm } from '../support/outside/fcm.ts'
import { listen } from '../support/outside/local-server.ts'
import type { LocalServer } from '../support/outside/local-server.ts'
import { somebodyWaits } from '../support/lock-waits.ts'
import { useOpenIdProvider } from '../support/outside/openid.ts'
import { TEST_SECRET } from '../support/server.ts'
import { startServiceProcess } from '../support/service-process.ts'
import { until } from '../support/until.ts'

const provider = useOpenIdProvider()
const fcm = useFcm()

/** A span as OTLP has it in JSON. */
interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: Record<string, unknown>
  status: { code?: number }
}

/** A collector as a service sees it: it takes OTLP over HTTP. */
const collector = () => listen((response) => response.setHeader('content-type', 'application/json').end('{}'))

const valuesOf = (attributes: { key: string; value: object }[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

const resourceSpans = ({ received }: LocalServer): any[] =>
  received.flatMap(({ body }) => JSON.parse(body).resourceSpans)

const spansOf = (target: LocalServer): Span[] =>
  resourceSpans(target)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .map((span) => ({ ...span, attributes: valuesOf(span.attributes) }))

/** The service as it runs, on a database of its own; `stop` sends the last spans. */
async function start(environment: Record<string, string>) {
  const directory = await mkdtemp(join(tmpdir(), 'companion-tracing-'))
  const { url: databaseUrl, drop } = await cloneDatabase()
  const outboxFile = join(directory, 'outbox.jsonl')
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    TOKEN_SECRET: TEST_SECRET,
    OUTBOX_FILE: outboxFile,
    RATE_LIMITS: 'off',
    PORT: '0',
    SOCIAL_PROVIDERS: provider.configuration,
    ...environment,
  })
  let log = ''
  const sink = new Writable({
    write(chunk, _encoding, done) {
      log += String(chunk)
      done()
    },
  })
  const service = await startService(config, createLogger('info', sink))
  await service.ready
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= service.stop())
  onTestFinished(async () => {
    await stop()
    await drop()
    await rm(directory, { recursive: true, force: true })
  })
  const outbox = async (): Promise<Record<string, string>[]> =>
    (await readFile(outboxFile, 'utf8').catch(() => ''))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  return {
    ...createClient(`http://127.0.0.1:${service.port}`),
    port: service.port,
    database: service.database,
    outbox,
    log: () => log,
    stop,
  }
}

const traceparent = (flags = '01') => {
  const [trace = '', parent = ''] = [randomUUID(), randomUUID()].map((id) => id.replaceAll('-', ''))
  return { trace, parent: parent.slice(0, 16), header: `00-${trace}-${parent.slice(0, 16)}-${flags}` }
}

test('a request is a span in its caller’s trace, its statements are spans in it, and its log line names the trace', async () => {
  const target = await collector()
  const service = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: target.url,
    OTEL_SERVICE_NAME: 'companion-of-a-test',
  })
  const { token } = await signUp(service)
  const child = await addChild(service, token)
  const caller = traceparent()
  const response = await service.get(`/api/v1/beta/chart/recent`, {
    token,
    query: { real_user_id: String(child.real_user_id), current_date: '2026-03-01' },
    headers: { traceparent: caller.header },
  })
  expect(response.status).toBe(200)
  await service.stop()

  expect(target.received.every(({ path }) => path === '/v1/traces')).toBe(true)
  for (const { resource } of resourceSpans(target)) {
    expect(valuesOf(resource.attributes)).toMatchObject({ 'service.name': 'companion-of-a-test' })
  }
  const trace = spansOf(target).filter(({ traceId }) => traceId === caller.trace)
  const request = trace.find(({ kind }) => kind === 2)
  expect(request).toMatchObject({
    name: 'charts.recent',
    parentSpanId: caller.parent,
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/api/v1/beta/chart/recent',
      'http.response.status_code': 200,
      'companion.request_id': response.headers.get('x-request-id'),
    },
    status: { code: 0 },
  })
  expect(trace.filter((span) => span !== request)).toEqual([
    expect.objectContaining({
      name: 'recent-chart',
      kind: 3,
      parentSpanId: request?.spanId,
      attributes: { 'db.system.name': 'postgresql' },
    }),
  ])
  expect(service.log()).toMatch(
    new RegExp(`"request_id":"${response.headers.get('x-request-id')}","trace_id":"${caller.trace}"`),
  )
})

test('operations over tRPC, typed SQL, transactions, mails and reports have their spans', async () => {
  const target = await collector()
  const service = await start({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${target.url}/somewhere/else` })
  const { email, token } = await signUp(service)
  const child = await addChild(service, token)
  await service.post('/api/v1/alpha/auth/email/password-reset', { json: { email } })
  await service.get('/trpc/account.me', { token })
  await service.get('/trpc/nothing.such')
  const query = { real_user_id: String(child.real_user_id), start_date: '2026-03-01', end_date: '2026-03-02' }
  const base = { serial_code: 'BASE-000001', unique_id: randomUUID() }
  await service.database.sql.insertInto('basestation').values(base).execute()
  const station = await service.post('/api/v1/beta/basestation', { token, json: base })
  const report = await service.get('/api/v1/beta/pdf/report', {
    token,
    query: { ...query, basestation_id: String(station.body.basestation_id) },
  })
  expect(report.status).toBe(200)
  await service.stop()

  expect(target.received.every(({ path }) => path === '/somewhere/else')).toBe(true)
  const spans = spansOf(target)
  const under = (name: string) => {
    const parent = spans.find((span) => span.name === name)
    return spans.filter(({ parentSpanId }) => parentSpanId === parent?.spanId).map(({ name }) => name)
  }
  const requests = spans.filter(({ kind }) => kind === 2)
  expect(requests.filter(({ parentSpanId }) => parentSpanId)).toEqual([])
  expect(new Set(requests.map(({ traceId }) => traceId)).size).toBe(requests.length)
  expect(requests.find(({ name }) => name === 'account.me')?.attributes['http.route']).toBe(
    '/trpc/account.me',
  )
  expect(requests.find(({ name }) => name === 'GET')?.attributes).toMatchObject({
    'http.response.status_code': 404,
  })
  expect(under('auth.sendSmsCode')).toEqual(expect.arrayContaining(['sms.send', 'INSERT sms_code']))
  expect(under('auth.signUp')).toEqual(expect.arrayContaining(['BEGIN', 'INSERT root_user', 'COMMIT']))
  expect(under('auth.requestPasswordReset')).toContain('mail.send')
  expect(under('reports.pdf')).toEqual(expect.arrayContaining(['report-days', 'report.draw']))
  // Once each, no matter how many layers a statement goes through.
  for (const { name, spanId } of spans.filter(({ attributes }) => attributes['db.system.name'])) {
    expect([name, spans.some(({ parentSpanId }) => parentSpanId === spanId)]).toEqual([name, false])
  }
})

test('a statement that is refused is told by its code, a request that fails by its status, one that nobody waits for as such', async () => {
  const target = await collector()
  const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: target.url })
  const { token } = await signUp(service)
  const { pool } = service.database
  await pool.query('ALTER TABLE survey RENAME TO mislaid')
  expect((await service.get('/api/v1/beta/chart/survey/analysis', { token })).status).toBe(500)
  await pool.query('ALTER TABLE mislaid RENAME TO survey')

  const holder = await pool.connect()
  await holder.query('BEGIN; LOCK TABLE survey')
  const socket = connect(service.port, '127.0.0.1')
  socket.write(
    `GET /api/v1/beta/chart/survey/analysis HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`,
  )
  await somebodyWaits(service.database)
  socket.destroy()
  await until(() => service.log().match(/"msg":"request (failed|aborted)"/g)?.length === 2)
  await holder.query('COMMIT')
  holder.release()
  await service.stop()

  const spans = spansOf(target)
  const requests = spans.filter(({ name }) => name === 'surveys.latest')
  expect(requests.map(({ attributes, status }) => [attributes['error.type'], status.code])).toEqual([
    ['500', 2],
    ['client gone', 0],
  ])
  const failed = spans.find(({ parentSpanId }) => parentSpanId === requests[0]?.spanId)
  expect(failed).toMatchObject({ attributes: { 'error.type': '42P01' }, status: { code: 2 } })
})

test('pushes are traced, by which no other work of the background is; nor are probes', async () => {
  const target = await collector()
  const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: target.url, ...fcm.environment })
  const { token } = await signUp(service)
  const { unique_id } = await addChild(service, token)
  const json = { is_push_agree: true, push_token: `push-token-${randomUUID()}` }
  await service.patch('/api/v1/beta/user/policy', { token, json })
  const treatment_date = new Date().toISOString().slice(0, 19)
  await service.post('/api/v1/gamma/device/devlog', {
    json: [
      {
        unique_id,
        detail_data: { treatment_date, finish_flag: '4', last_intensity: 3, treatment_time: 600 },
        intensity_record: [],
        log_file_id: 1,
      },
    ],
  })
  for (const path of ['/healthz', '/readyz', '/metrics']) await service.get(path)
  await until(() => fcm.messages.length)
  await service.stop()
  const roots = spansOf(target).filter(({ parentSpanId }) => !parentSpanId)
  expect(roots.map(({ name }) => name)).toEqual(expect.arrayContaining(['push.send', 'devlogs.upload']))
  expect(roots.filter(({ kind, name }) => kind !== 2 && name !== 'push.send')).toEqual([])
  expect(roots.filter(({ name }) => name === 'GET')).toEqual([])
})

test('nothing that a person wrote or is known by is told to the collector', async () => {
  const target = await collector()
  const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: target.url })
  const { email, phone, token, refreshToken } = await signUp(service)
  const child = await addChild(service, token)
  const nonce = randomUUID()
  const id_token = await provider.signIn('mina', nonce)
  await service.post('/api/v1/alpha/auth/social/signin', { json: { provider: 'example', id_token, nonce } })
  await signIn(service, email, 'a wrong password')
  await service.get(`/trpc/${email}`)
  await service.get(`/${email}?phone=${phone}`, {
    headers: {
      traceparent: traceparent().header,
      tracestate: `vendor=${email.split('@')[0]}`,
      baggage: `who=${phone}`,
    },
  })
  await service.get('/api/v1/gamma/device/history', { query: { unique_id: child.unique_id } })
  const { code = '' } = (await service.outbox()).find(({ to }) => to === phone) ?? {}
  await service.stop()
  const told = target.received.map(({ body }) => body).join('\n')
  expect(told).toContain('social.verify')
  const secrets = [
    email,
    email.split('@')[0] ?? '',
    phone,
    token,
    refreshToken,
    PASSWORD,
    'a wrong password',
    id_token,
    nonce,
  ]
  secrets.push(child.unique_id, child.serial_code, 'Kim', 'Mina', 'mina', '127.0.0.1', `"${code}"`)
  expect(secrets.filter((secret) => told.includes(secret))).toEqual([])
})

test.each([
  ['of a trace that its caller does not keep', {}, '00', 0],
  ['with always_off', { OTEL_TRACES_SAMPLER: 'always_off' }, '01', 0],
  ['with a ratio of 0', { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }, '01', 0],
  ['with always_on, even against its caller', { OTEL_TRACES_SAMPLER: 'always_on' }, '00', 1],
  [
    'with a ratio for what begins here',
    { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' },
    '01',
    1,
  ],
])('samplers: a request %s', async (_what, environment, flags, expected) => {
  const target = await collector()
  const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: target.url, ...environment })
  await service.get('/api/v1/beta/user/me', { headers: { traceparent: traceparent(flags).header } })
  await service.stop()
  expect(spansOf(target)).toHaveLength(expected)
})

test('a collector that refuses costs a line in the log', async () => {
  const target = await listen((response) => response.writeHead(400).end())
  const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: target.url })
  expect((await service.get('/api/v1/beta/user/me')).status).toBe(401)
  await service.stop()
  expect(service.log().match(/"msg":"traces not sent"/g)).toHaveLength(1)
})

test('a collector that does not answer does not hold up the end', async () => {
  // It would be waited for until the test has taken too long.
  for (const limit of ['OTEL_EXPORTER_OTLP_TIMEOUT', 'OTEL_BSP_EXPORT_TIMEOUT']) vi.stubEnv(limit, '600000')
  onTestFinished(() => void vi.unstubAllEnvs())
  const target = await listen(() => undefined)
  const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: target.url })
  expect((await service.get('/api/v1/beta/user/me')).status).toBe(401)
  await service.stop()
  expect(target.received).toHaveLength(1)
})

/** Prints it when a process loads the tracing; OpenTelemetry's interface alone prom-client loads too. */
const TELL_LOADED = `--import data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from 'node:module'
   registerHooks({ resolve: (name, context, next) => {
     if (name.startsWith('@opentelemetry/sdk')) console.log('loads ' + name)
     return next(name, context)
   } })`,
)}`

test('every process sends its last spans on SIGTERM; without an endpoint nothing of it is loaded', async () => {
  const target = await collector()
  const directory = await mkdtemp(join(tmpdir(), 'companion-tracing-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const plain = await startServiceProcess(directory, { NODE_OPTIONS: TELL_LOADED })
  await plain.readiness(200)
  await plain.get('/api/v1/beta/user/me')
  plain.terminate()
  expect(await plain.exited).toBe(0)
  expect(plain.log()).not.toContain('loads @opentelemetry')
  expect(plain.log()).not.toContain('trace_id')

  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: target.url, NODE_OPTIONS: TELL_LOADED }
  const service = await startServiceProcess(directory, environment, ['--workers', '2'])
  await service.readiness(200)
  for (let n = 0; n < 10; n += 1) {
    await service.get('/api/v1/beta/user/me', { headers: { connection: 'close' } })
  }
  service.terminate()
  expect(await service.exited).toBe(0)
  expect(service.log()).toContain('loads @opentelemetry/sdk-trace')
  expect(spansOf(target).filter(({ name }) => name === 'account.me')).toHaveLength(10)
})
