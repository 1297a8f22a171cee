import { AsyncLocalStorage } from 'node:async_hooks'
import type { RequestListener } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { defaultTextMapGetter, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { Attributes, Context, Span } from '@opentelemetry/api'
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Pool, PoolClient } from 'pg'
import type { Logger } from 'pino'
import type { TracingConfig } from '../config/tracing.ts'
import type { Database } from '../database/database.ts'
import type { RunNamedStatement } from '../database/statement.ts'

/** How long the service waits for the last spans to be sent when it stops; the collector may be out of reach. */
const FLUSH_MS = 1000
/** Probes that machines request every few seconds. */
const UNTRACED = new Set(['/healthz', '/readyz', '/metrics'])

/** An operation, by the name that its span gets. */
export interface TracedOperation {
  /** The path in the router, such as `charts.recent`. */
  path: string
  operation: { method: string; path: string }
}

/**
 * Creates spans for requests and for the work done to answer them. Spans hold numbers and names given by this program.
 * They never hold a URL, a header other than `X-Request-Id`, a body, a parameter of a statement or an error message.
 */
export interface Tracing {
  /** Wraps `listener` with a span per request, named by its operation; it continues the caller's trace (`traceparent`). */
  requests(listener: RequestListener, operations: readonly TracedOperation[]): RequestListener
  /** Wraps `database` with a span for each statement that runs for a request, named by the statement. */
  database(database: Database): Database
  /** Wraps `work` with a span around each call. */
  around<Given extends unknown[], Result>(
    name: string,
    work: (...given: Given) => Promise<Result>,
  ): (...given: Given) => Promise<Result>
  /** Sends the remaining spans, for at most a second. */
  stop(): Promise<void>
}

/** Starts tracing to an OTLP collector over HTTP. Failures to send are logged and affect nothing else. */
export function openTelemetry(config: TracingConfig, log: Logger): Tracing {
  setGlobalErrorHandler((error) => log.warn({ err: error }, 'traces not sent'))
  const provider = new TracerProvider({
    resource: resourceOf(config),
    sampler: samplerOf(config),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: config.url }) })],
  })
  const tracer = provider.getTracer('companion')
  const propagator = new W3CTraceContextPropagator()
  // Not OpenTelemetry's global context: traced code receives this `Tracing` explicitly.
  const storage = new AsyncLocalStorage<Context>()

  const start = (name: string, kind: SpanKind, attributes: Attributes, parent: Context) =>
    tracer.startSpan(name, { kind, attributes }, parent)

  function ofStatement<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
    const parent = storage.getStore()
    // Skip background statements, which have no parent, and statements that an already answered request started: for
    // example, uploads that waited beside it belong to other requests.
    if (!parent || !trace.getSpan(parent)?.isRecording()) return run()
    const span = start(name, SpanKind.CLIENT, { 'db.system.name': 'postgresql' }, parent)
    return within(span, () => storage.exit(run))
  }

  const traced =
    (query: RunNamedStatement): RunNamedStatement =>
    (statement, values) =>
      ofStatement(statement.name, () => query(statement, values))

  function traceQueries(runner: Pool | PoolClient): void {
    const query: unknown = Reflect.get(runner, 'query')
    if (typeof query !== 'function') return
    Reflect.set(runner, 'query', (...given: unknown[]) => {
      const run = () => Reflect.apply(query, runner, given)
      // A call with a callback is part of an operation that already has its span.
      return typeof given.at(-1) === 'function' ? run() : ofStatement(statementName(given[0]), run)
    })
  }

  return {
    requests(listener, operations) {
      const routes = new Map(operations.map(({ path, operation }) => [path, operation.path]))
      return (request, response) => {
        const { method = '', url = '' } = request
        if (UNTRACED.has(url)) {
          listener(request, response)
          return
        }
        const isRpc = url.startsWith('/trpc/')
        // Ignore `tracestate`: callers may write any text into it.
        const { traceparent } = request.headers
        const parent = propagator.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter)
        const span = start(method, SpanKind.SERVER, { 'http.request.method': method }, parent)
        request.traceId = span.spanContext().traceId
        response.once('close', () => {
          const { statusCode, writableFinished } = response
          const { id, operation } = request.facts ?? {}
          const route = operation && (isRpc ? `/trpc/${operation}` : routes.get(operation))
          if (operation) span.updateName(operation)
          if (route) span.setAttribute('http.route', route)
          if (id) span.setAttribute('companion.request_id', id)
          if (writableFinished) span.setAttribute('http.response.status_code', statusCode)
          else span.setAttribute('error.type', 'client gone')
          if (writableFinished && statusCode >= 500) fail(span, { code: String(statusCode) })
          span.end()
        })
        storage.run(trace.setSpan(parent, span), () => listener(request, response))
      }
    },
    database(database) {
      const { pool } = database
      // Covers typed SQL and transactions, whose statements have no names.
      traceQueries(pool)
      pool.on('connect', traceQueries)
      return {
        ...database,
        query: traced((statement, values) => database.query(statement, values)),
        querySerially: traced((statement, values) => database.querySerially(statement, values)),
        together: (work, options) =>
          database.together((unit) => {
            // Through getters and all.
            const own = Object.create(unit.database, {
              query: { value: traced(unit.database.query) },
              querySerially: { value: traced(unit.database.querySerially) },
            })
            return work({ ...unit, database: own })
          }, options),
        offload: (read) =>
          database.offload((snapshot) => read((work) => snapshot((query) => work(traced(query))))),
      }
    },
    around:
      (name, work) =>
      (...given) => {
        const parent = storage.getStore() ?? ROOT_CONTEXT
        const span = start(name, SpanKind.INTERNAL, {}, parent)
        return within(span, () => storage.run(trace.setSpan(parent, span), () => work(...given)))
      },
    async stop() {
      const flushed = provider
        .shutdown()
        .catch((error: unknown) => log.warn({ err: error }, 'traces not sent'))
      await Promise.race([flushed, pause(FLUSH_MS, undefined, { ref: false })])
    },
  }
}

/** Runs `work`, marks the span as failed if it throws, and ends the span. */
async function within<Result>(span: Span, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    fail(span, error)
    throw error
  } finally {
    span.end()
  }
}

const resourceOf = ({ serviceName }: TracingConfig) =>
  defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'companion' }))
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector] }))
    .merge(resourceFromAttributes(serviceName === undefined ? {} : { 'service.name': serviceName }))

function samplerOf({ sampler, ratio }: TracingConfig) {
  const root = sampler.endsWith('always_off')
    ? new AlwaysOffSampler()
    : sampler.endsWith('traceidratio')
      ? new TraceIdRatioBasedSampler(ratio)
      : new AlwaysOnSampler()
  return sampler.startsWith('parentbased') ? new ParentBasedSampler({ root }) : root
}

/** Marks the span as failed, with the error's code or class; its message may repeat user input. */
function fail(span: Span, error: unknown): void {
  const code: unknown = typeof error === 'object' && error ? Reflect.get(error, 'code') : undefined
  const type = typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown'
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR })
}

/** Returns the name of a prepared statement; of any other statement its verb and table, such as `SELECT root_user`. */
function statementName(query: unknown): string {
  const part = (key: string): unknown =>
    typeof query === 'object' && query ? Reflect.get(query, key) : query
  const name = typeof query === 'object' ? part('name') : undefined
  if (typeof name === 'string') return name
  const text = String(part('text'))
  const [verb = 'SQL'] = /[a-z]+/i.exec(text) ?? []
  const [, table = ''] = /\b(?:from|into|update)\s+"?(\w+)/i.exec(text) ?? []
  return `${verb.toUpperCase()} ${table}`.trimEnd()
}
