import cluster from 'node:cluster'
import type { Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Logger } from 'pino'
import type { Config } from './config/config.ts'
import { environmentWithoutLibpq } from './config/database-address.ts'
import { readTokenSecret } from './config/token-secret.ts'
import { listenForWorkers } from './http/server/handed-connections.ts'
import type { SharedPort } from './http/server/handed-connections.ts'
import { serveClusterMetrics } from './telemetry/cluster-metrics.ts'
import { openDatabaseWithTracing, startBackgroundWork } from './service.ts'
import type { Service } from './service.ts'

/** The primary's message that makes a worker finish its requests in flight and exit. */
export const STOP_MESSAGE = 'stop'

/** After a shorter life of a worker, the next one may fail for the same reason, so the primary waits longer. */
const QUICK_MS = 60_000
const SHORTEST_WAIT_MS = 100
const LONGEST_WAIT_MS = 30_000

/**
 * Starts `count` workers that share the port. This process, the primary, answers no requests: it listens and hands the
 * connections out, owns the embedded database, does the background work, and replaces workers that exit. Throws if a
 * worker exits before the first one takes connections.
 */
export async function startWorkers(config: Config, log: Logger, count: number): Promise<Service> {
  const { database, embeddedUrl, tracing, close } = await openDatabaseWithTracing(config, log)
  const work = startBackgroundWork({ config, database, log, tracing })
  let isStopping = false
  let quickDeaths = 0
  const waits = new Set<NodeJS.Timeout>()
  let shared: SharedPort | undefined

  async function stop() {
    isStopping = true
    for (const wait of waits) clearTimeout(wait)
    // First: a client whose connection a worker closes would come back and be accepted by nobody.
    await shared?.close()
    await Promise.all([...workers().map(stopWorker), work.stop()])
    await work.close()
    await close()
    log.info('stopped')
  }

  try {
    const { port, share } = (shared = await listenForWorkers(config))
    // Workers connect to an embedded database like to any other.
    const environment = {
      ...(embeddedUrl && { ...environmentWithoutLibpq, DATABASE_URL: embeddedUrl }),
      TOKEN_SECRET: await readTokenSecret(config),
      PORT: String(port),
    }
    const fork = () => {
      const startedAt = performance.now()
      const worker = cluster.fork(environment)
      share(worker)
      worker.once('exit', (code, signal) => {
        if (isStopping) return
        quickDeaths = performance.now() - startedAt < QUICK_MS ? quickDeaths + 1 : 0
        const ms = Math.min(SHORTEST_WAIT_MS * 2 ** quickDeaths, LONGEST_WAIT_MS)
        log.error({ code, signal, ms }, 'a worker has ended and will be replaced')
        const wait = setTimeout(() => {
          waits.delete(wait)
          fork()
        }, ms)
        waits.add(wait)
      })
    }
    serveClusterMetrics()
    for (let n = 0; n < count; n += 1) fork()
    await firstReady()
    return { port, database, ready: work.ready, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const workers = () =>
  Object.values(cluster.workers ?? {})
    .filter((worker) => worker !== undefined)
    .filter((worker) => !worker.isDead())

async function stopWorker(worker: Worker): Promise<void> {
  const ended = once(worker, 'exit')
  worker.send(STOP_MESSAGE, () => {})
  await ended
}

/** Resolves when a worker takes connections. Rejects if a worker exits before: the next one would, too. */
const firstReady = () =>
  new Promise<void>((resolve, reject) => {
    cluster.once('message', () => resolve())
    cluster.once('exit', () => reject(new Error('A worker has ended before it could take connections')))
  })
