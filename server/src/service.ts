import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createApp } from './app.ts'
import type { Config } from './config/config.ts'
import { readTokenSecret } from './config/token-secret.ts'
import { openConfiguredDatabase } from './database/configured.ts'
import type { OpenDatabase } from './database/configured.ts'
import type { Database } from './database/database.ts'
import { startPurging } from './database/purge.ts'
import { isOutOfReach } from './database/refusal.ts'
import { createAlertSenders, createSenders } from './delivery/configured.ts'
import { startSendingAlerts } from './delivery/send-alerts.ts'
import { tellBrowsers } from './http/browsers.ts'
import { createHttpServer } from './http/http-server.ts'
import type { Tracing } from './telemetry/open-telemetry.ts'
import { startTracing } from './telemetry/tracing.ts'

/** How long what is under way may take once the service stops; the rest of the 10 seconds is for the database. */
const DRAIN_MS = 7000
/** How long a connection may stay idle then: balancers have noticed by now, and what was on its way has arrived. */
const LAST_REQUEST_MS = 1000
const LONGEST_RETRY_MS = 5000

export interface Service {
  /** The port it listens on. */
  port: number
  database: Database
  /** Resolves when the schema is up to date, which waits for a database that is out of reach. */
  ready: Promise<void>
  /** Answers what is in flight, then closes the database. */
  stop: () => Promise<void>
}

/** Starts the service: it listens at once and is ready as soon as its database is. */
export async function startService(config: Config, log: Logger): Promise<Service> {
  const { database, tracing, close } = await openTraced(config, log)
  const work = startWork({ config, database, log, tracing })
  return startListening({ config, database, log, tracing, ready: work.ready }, async (drained) => {
    await Promise.all([drained, work.stop()])
    await close()
  })
}

/** Starts one of several processes that share a port; what is done once is done by their primary, see workers.ts. */
export async function startWorker(config: Config, log: Logger): Promise<Service> {
  const { database, tracing, close } = await openTraced(config, log)
  return startListening({ config, database, log, tracing, ready: Promise.resolve() }, async (drained) => {
    await drained
    await close()
  })
}

/** Opens the database, with spans of what is asked of it when that is configured; `close` closes both. */
export async function openTraced(
  config: Config,
  log: Logger,
): Promise<OpenDatabase & { tracing: Tracing | undefined }> {
  const tracing = await startTracing(config, log)
  const opened = await openConfiguredDatabase(config, log)
  return {
    ...opened,
    database: tracing ? tracing.database(opened.database) : opened.database,
    tracing,
    async close() {
      await Promise.all([opened.close(), tracing?.stop()])
    },
  }
}

interface Surroundings {
  config: Config
  database: Database
  log: Logger
  tracing: Tracing | undefined
}

/** What is done once beside the answering of requests: the schema, and then whatever is due from time to time. */
export function startWork({ config, database, log, tracing }: Surroundings): Pick<Service, 'ready' | 'stop'> {
  const stopping = new AbortController()
  let alerts: ReturnType<typeof startSendingAlerts> | undefined
  let purging: ReturnType<typeof startPurging> | undefined
  const ready = (async () => {
    await migrateWhenReachable(database, log, stopping.signal)
    if (stopping.signal.aborted) return
    const { push, alim_talk } = createAlertSenders(config)
    const senders = tracing
      ? { push: tracing.around('push.send', push), alim_talk: tracing.around('alim_talk.send', alim_talk) }
      : { push, alim_talk }
    alerts = startSendingAlerts({ database, senders, log })
    purging = startPurging(database, { retention: config, log })
  })()
  return {
    ready,
    async stop() {
      stopping.abort()
      const ended = ready.catch(() => undefined).then(() => Promise.all([alerts?.stop(), purging?.stop()]))
      // Nobody waits for an answer here: what a silent database or provider keeps is cut, and done again later.
      await Promise.race([ended, pause(DRAIN_MS, undefined, { ref: false })])
    },
  }
}

/** Listens until stopped; `close` frees what the service holds once the requests in flight are answered. */
async function startListening(
  { config, database, log, tracing, ready }: Surroundings & Pick<Service, 'ready'>,
  close: (drained: Promise<void>) => Promise<void>,
): Promise<Service> {
  try {
    const tokenSecret = await readTokenSecret(config)
    const app = createApp({ config, tokenSecret, database, ...createSenders(config), log, tracing })
    const server = createHttpServer(tellBrowsers(config, app))
    const port = await listen(server, config)
    log.info({ port, host: config.host }, 'listening')
    const stop = async () => {
      await close(drain(server))
      log.info('stopped')
    }
    return { port, database, ready, stop }
  } catch (error) {
    await close(Promise.resolve())
    throw error
  }
}

async function listen(server: Server, { host, port }: Config): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  const address = server.address()
  return typeof address === 'object' && address ? address.port : port
}

async function drain(server: Server): Promise<void> {
  // Whoever keeps a connection alive may have sent its next request already. It is answered, and told to be the last.
  server.prependListener('request', (_request, response: ServerResponse) => {
    response.shouldKeepAlive = false
  })
  // The HTTP server's own method would cut those connections at once.
  const closed = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => resolve())
  })
  let sweep: NodeJS.Timeout | undefined
  const patience = setTimeout(() => {
    sweep = setInterval(() => server.closeIdleConnections(), 50)
  }, LAST_REQUEST_MS)
  const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
  await closed
  for (const timer of [sweep, patience, deadline]) clearTimeout(timer)
}

async function migrateWhenReachable(database: Database, log: Logger, signal: AbortSignal): Promise<void> {
  for (let wait = 100; ; wait = Math.min(2 * wait, LONGEST_RETRY_MS)) {
    try {
      const applied = await database.migrate()
      if (applied.length > 0) log.info({ applied }, 'schema brought up to date')
      return
    } catch (error) {
      signal.throwIfAborted()
      if (!isOutOfReach(error)) throw error
      log.warn({ err: error }, 'database out of reach, trying again')
      await pause(wait, undefined, { signal })
    }
  }
}
