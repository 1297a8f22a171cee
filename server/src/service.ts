import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createApp } from './app.ts'
import { eraseInactive } from './account/inactive-accounts.ts'
import { canonicalizePhones, describeSharedNumber } from './auth/phone/canonical-phones.ts'
import { deriveKeys } from './auth/keys.ts'
import { positionBeforeTransaction, encodeFeedCursor } from './changes/feed-cursor.ts'
import type { Config } from './config/config.ts'
import { readTokenSecret } from './config/token-secret.ts'
import { openConfiguredDatabase } from './open-database.ts'
import { connectionIssue } from './database/connection-issue.ts'
import type { OpenDatabase } from './open-database.ts'
import type { Database } from './database/database.ts'
import { startPurging } from './retention/purge.ts'
import { createReadingWeekPartitions } from './retention/reading-weeks.ts'
import { pastMembershipsToEnd } from './shares/past-memberships.ts'
import { isDatabaseUnavailable } from './database/sql-errors.ts'
import { createAlertSenders, createSenders } from './delivery/configured.ts'
import { startNotifyingWebhooks } from './delivery/notify-webhooks.ts'
import { startSendingAlerts } from './delivery/send-alerts.ts'
import { startNightAlerts } from './delivery/watch-nights.ts'
import { startExporting } from './fhir/export-work.ts'
import { startJudgingReleases } from './firmware/judge.ts'
import { withSecurityHeaders } from './http/server/security-headers.ts'
import { closeListener } from './http/server/close-listener.ts'
import { acceptHandedConnections } from './http/server/handed-connections.ts'
import { createHttpServer } from './http/server/http-server.ts'
import { listen } from './http/server/listen.ts'
import type { Tracing } from './telemetry/open-telemetry.ts'
import { watchClock } from './telemetry/clock.ts'
import { startTracing } from './telemetry/tracing.ts'
import type { ChainKeys } from './trail/chain.ts'
import { startClosingBlocks } from './trail/close-blocks.ts'
import { beginChains } from './trail/head.ts'
import { purgedTrailMonths } from './trail/purge-trail.ts'
import { createFirmwareFiles } from './firmware/files.ts'
import { createTrail } from './trail/trail.ts'
import type { TrailTiming } from './trail/trail.ts'
import { webhookSecrets } from './webhooks/webhook.ts'

/** The time limit for requests in flight when the service stops; the rest of the 10 seconds is for the database. */
const DRAIN_MS = 7000
/** How long idle connections stay open then, so that load balancers notice the stop and requests on the way arrive. */
const LAST_REQUEST_MS = 1000
const LONGEST_RETRY_MS = 5000
const NOT_ENCRYPTED =
  'not all personal columns are encrypted yet: run `companion keys rotate` when no older version serves any more'
const NO_CONSENT = 'no consent to any text is asked of parents, as CONSENT_VERSIONS is not set'
/** How long a worker looks for the database before it answers. */
const LONGEST_LOOK_MS = 2000
/** How often the clock is looked at when nobody asks. */
const LOOK_MS = 60_000

/** A running service. */
export interface Service {
  /** The port on which the service listens. */
  port: number
  database: Database
  /** Resolves when the schema is up to date; waits while the database is out of reach. */
  ready: Promise<void>
  /** Finishes requests in flight, then closes the database. */
  stop: () => Promise<void>
}

/** Starts the service in one process: it listens at once and is ready as soon as the database is. */
export async function startService(
  config: Config,
  log: Logger,
  trailTiming: TrailTiming = {},
): Promise<Service> {
  const { database, tracing, close } = await openDatabaseWithTracing(config, log)
  const work = startBackgroundWork({ config, database, log, tracing })
  return startAnswering(
    { config, database, log, tracing, ready: work.ready, trailTiming },
    async (server) => ({
      port: await listen(server, config),
      refuse: () => closeListener(server),
      ended: () => once(server, 'close'),
    }),
    async (drained) => {
      await Promise.all([drained, work.stop()])
      await work.close()
      await close()
    },
  )
}

/** Starts one of several processes that share a port; their primary does the background work, see workers.ts. */
export async function startWorkerService(config: Config, log: Logger): Promise<Service> {
  const { database, tracing, close } = await openDatabaseWithTracing(config, log)
  // It finds the coordinator of several nodes before it answers, but answers at last without a database too.
  await Promise.race([database.isReady(), pause(LONGEST_LOOK_MS, undefined, { ref: false })])
  // Only to know whether to encrypt: the primary judges the keys.
  database.encryption.check().catch(() => undefined)
  return startAnswering(
    { config, database, log, tracing, ready: Promise.resolve() },
    async (server) => ({
      port: config.port,
      // The primary has done so before it stops a worker.
      refuse: async () => {},
      ended: acceptHandedConnections(server),
    }),
    async (drained) => {
      await drained
      await close()
    },
  )
}

/** Opens the database, and tracing if it is configured; `close` closes both. */
export async function openDatabaseWithTracing(
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

interface Dependencies {
  config: Config
  database: Database
  log: Logger
  tracing: Tracing | undefined
}

/**
 * Starts the background work, which one process does: it migrates the schema, then watches nights, judges releases of firmware, sends alerts, rings webhooks, makes exports, purges, and
 * closes the blocks of the records. `stop` ends it; `close` closes the last blocks, when nobody writes any more.
 */
export function startBackgroundWork({
  config,
  database,
  log,
  tracing,
}: Dependencies): Pick<Service, 'ready' | 'stop'> & { close: () => Promise<void> } {
  const stopping = new AbortController()
  let alerts: ReturnType<typeof startSendingAlerts> | undefined
  let nights: ReturnType<typeof startNightAlerts> | undefined
  let releases: ReturnType<typeof startJudgingReleases> | undefined
  let webhooks: ReturnType<typeof startNotifyingWebhooks> | undefined
  let exports: ReturnType<typeof startExporting> | undefined
  let purging: ReturnType<typeof startPurging> | undefined
  let closing: ReturnType<typeof startClosingBlocks> | undefined
  const ready = (async () => {
    const keys = deriveKeys(await readTokenSecret(config), config)
    await migrateWhenReachable({ config, database, log, keys }, stopping.signal)
    if (stopping.signal.aborted) return
    if (config.production && Object.keys(config.consentVersions).length === 0) log.info(NO_CONSENT)
    // After a pause of weeks, before a balancer sends the first readings.
    await createReadingWeekPartitions(database, config)
    const { push, alim_talk, mail: byMail } = createAlertSenders(config)
    const senders = tracing
      ? {
          push: tracing.around('push.send', push),
          alim_talk: tracing.around('alim_talk.send', alim_talk),
          mail: tracing.around('mail.send', byMail),
        }
      : { push, alim_talk, mail: byMail }
    alerts = startSendingAlerts({ database, senders, log, timeZone: config.timeZone })
    nights = startNightAlerts(database, { timeZone: config.timeZone, log })
    releases = startJudgingReleases(database, { timeZone: config.timeZone, log })
    webhooks = startNotifyingWebhooks({
      database,
      mail: createSenders(config).mail,
      log,
      production: config.production,
      secretOf: webhookSecrets(keys),
      cursorOf: (xactId) => encodeFeedCursor(positionBeforeTransaction(xactId)),
    })
    exports = startExporting({ database, fhirSystem: config.fhirSystem, timeZone: config.timeZone, log })
    closing = startClosingBlocks(database, { keys, log })
    const months = config.retention.inactive_accounts
    purging = startPurging(database, {
      retention: config,
      log,
      more: { ...purgedTrailMonths(keys, config), ...pastMembershipsToEnd(config) },
      also: (signal) =>
        eraseInactive(database, {
          keys,
          months,
          mail: createSenders(config).mail,
          warn: (error) => log.error({ err: error, notice: 'account_deleted' }, 'notice not sent'),
          signal,
        }),
    })
  })()
  return {
    ready,
    async stop() {
      stopping.abort()
      const ended = ready
        .catch(() => undefined)
        .then(() =>
          Promise.all(
            [alerts, nights, releases, webhooks, exports, purging].map(async (each) => each?.stop()),
          ),
        )
      // No caller waits here: work that a silent database or provider delays is cut off and repeated later.
      await Promise.race([ended, pause(DRAIN_MS, undefined, { ref: false })])
    },
    close: async () => closing?.stop(),
  }
}

interface Connections {
  port: number
  /** Takes no new connections from when it resolves. */
  refuse: () => Promise<void>
  /** Resolves when the open connections are closed. */
  ended: () => Promise<unknown>
}

/**
 * Answers the connections that `connect` brings until stopped. `close` receives a promise of the end of requests in
 * flight, then frees the resources.
 */
async function startAnswering(
  {
    config,
    database,
    log,
    tracing,
    ready,
    trailTiming,
  }: Dependencies & Pick<Service, 'ready'> & { trailTiming?: TrailTiming },
  connect: (server: Server) => Promise<Connections>,
  close: (drained: Promise<void>) => Promise<void>,
): Promise<Service> {
  try {
    const tokenSecret = await readTokenSecret(config)
    const clock = watchClock(database, log)
    const trail = createTrail(database, log, trailTiming)
    const firmwareFiles = createFirmwareFiles(database)
    const tools = { ...createSenders(config), log, tracing, clock, trail, firmwareFiles }
    const app = createApp({ config, tokenSecret, database, ...tools })
    const server = createHttpServer(withSecurityHeaders(config, app), config)
    const { port, ...connections } = await connect(server)
    const look = () => void clock.look().catch(() => undefined)
    ready.then(look, () => undefined)
    const looking = setInterval(look, LOOK_MS)
    log.info({ port, host: config.host }, 'listening')
    const stop = async () => {
      clearInterval(looking)
      const drained = drain(server, connections)
      await close(drained.then(async () => void (await Promise.all([trail.stop(), firmwareFiles.close()]))))
      log.info('stopped')
    }
    return { port, database, ready, stop }
  } catch (error) {
    await close(Promise.resolve())
    throw error
  }
}

async function drain(server: Server, { refuse, ended }: Omit<Connections, 'port'>): Promise<void> {
  const allEnded = ended()
  // First: a client whose connection is closed would come back, and be reset in the queue of the port.
  await refuse()
  // A client may have already sent its next request on an open connection. Answer it, and close the connection with it.
  server.prependListener('request', (_request, response: ServerResponse) => {
    response.shouldKeepAlive = false
  })
  let sweep: NodeJS.Timeout | undefined
  const timeout = setTimeout(() => {
    // What has arrived by now is read first: a connection that is closed over it would be reset.
    sweep = setInterval(() => setImmediate(() => server.closeIdleConnections()), 50)
  }, LAST_REQUEST_MS)
  const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
  await allEnded
  for (const timer of [sweep, timeout, deadline]) clearTimeout(timer)
}

async function migrateWhenReachable(
  { config, database, log, keys }: Omit<Dependencies, 'tracing'> & { keys: ChainKeys },
  signal: AbortSignal,
): Promise<void> {
  for (let wait = 100; ; wait = Math.min(2 * wait, LONGEST_RETRY_MS)) {
    try {
      const applied = await database.migrate({ warn: (line) => log.warn(line) })
      if (applied.length > 0) log.info({ applied }, 'schema brought up to date')
      if (!(await database.encryption.check())) log.warn(NOT_ENCRYPTED)
      await beginChains(database.pool, keys)
      for (const each of await canonicalizePhones(database)) log.warn(each, describeSharedNumber(each))
      return
    } catch (error) {
      signal.throwIfAborted()
      if (!isDatabaseUnavailable(error)) throw error
      const issue = connectionIssue(error, config.database)
      const message = `${issue ?? 'The database cannot be used'}; trying again`
      log.warn(issue === undefined ? { err: error } : { retry_ms: wait }, message)
      await pause(wait, undefined, { signal })
    }
  }
}
