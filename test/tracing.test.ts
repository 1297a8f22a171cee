import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Writable } from 'node:stream'
import { readConfig } from '@companion/server/config/config.ts'
import { createLogger } from '@companion/server/http/log.ts'
import { startService } from '@companion/server/service.ts'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from './support/client.ts'
import { cloneDatabase } from './support/database.ts'
import { addChild, PASSWORD, signIn, signUp } from './support/family.ts'
import { useFcm } from './support/fcm.ts'
import { closedPort, listen } from './support/listen.ts'
import type { LocalServer } from './support/listen.ts'
import { useOpenIdProvider } from './support/openid.ts'
import { TEST_SECRET } from './support/server.ts'
import { startServiceProcess } from './support/service-process.ts'

vi.setConfig({ testTimeout: 60_000 })

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

/** What OpenTelemetry's collector is for a service: something that takes OTLP over HTTP. */
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
  const answer = await service.get(`/api/v1/beta/chart/recent`, {
    token,
    query: { real_user_id: String(child.real_user_id), current_date: '2026-03-01' },
    headers: { traceparent: caller.header },
  })
  expect(answer.status).toBe(200)
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
      'companion.request_id': answer.headers.get('x-request-id'),
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
    new RegExp(`"request_id":"${answer.headers.get('x-request-id')}","trace_id":"${caller.trace}"`),
  )
})
