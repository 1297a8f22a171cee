import cluster from 'node:cluster'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { InvalidArgumentError } from 'commander'
import { readConfig } from '../config/config.ts'
import { DEMO_CONSENT_VERSIONS } from '../demo/consent-versions.ts'
import { assertFree } from '../http/server/listen.ts'
import { bufferedOutput, createLogger, readableOutput } from '../telemetry/log.ts'
import { startService, startWorkerService } from '../service.ts'
import { startWorkers, STOP_MESSAGE } from '../workers.ts'
import { descriptions } from './descriptions.ts'
import { createCommand, CommandError } from './program.ts'

/** Stays below the 10 seconds that a process manager waits before it kills the process. */
const TIMEOUT_MS = 9500
/** The clinicians' application of a checkout, and where it is once it is built. */
const CLINIC_EXAMPLE = new URL('../../../examples/clinic/', import.meta.url)
const CLINIC_APP = fileURLToPath(new URL('dist/app/', CLINIC_EXAMPLE))

export const serveCommand = createCommand('serve', descriptions.serve, 'serve --demo', 'serve --workers auto')
  .option('--demo', 'create a demo family if the database is empty, and print what to try')
  .option(
    '--workers <number>',
    'number of processes that share the port; `auto` runs one per processor core',
    workerCount,
  )
  .action(async ({ demo, json, workers = 1 }: { demo?: boolean; json?: boolean; workers?: number }) => {
    const demoSettings = demo ? { CONSENT_VERSIONS: JSON.stringify(DEMO_CONSENT_VERSIONS) } : {}
    const settings = readConfig({ ...demoSettings, ...process.env })
    // A demo of a checkout serves it as soon as it is built.
    const clinicApp = settings.clinicApp ?? (demo && existsSync(CLINIC_EXAMPLE) ? CLINIC_APP : undefined)
    const config = { ...settings, clinicApp }
    if (demo && config.production) throw new CommandError('--demo is refused when NODE_ENV=production')
    const log = createLogger(config.logLevel, output())
    // Handle signals before anything starts: otherwise a signal would leave a starting PostgreSQL behind.
    const signal = stopSignal()
    if (cluster.isPrimary) await assertFree(config)
    const start = cluster.isWorker ? startWorkerService : workers > 1 ? startWorkers : startService
    const service = await start(config, log, workers).catch((error: unknown) => {
      // The open channel to the primary would keep a failed worker alive.
      process.disconnect?.()
      throw error
    })
    const stopped = aborted(signal).then(() => service.stop())
    const begin = async () => {
      await service.ready
      if (!demo || !cluster.isPrimary) return
      const { makeDemoFamily } = await import('../demo/family.ts')
      const { demoBanner } = await import('../demo/banner.ts')
      await makeDemoFamily(service.database)
      if (config.clinicApp !== undefined)
        await (await import('../demo/clinic.ts')).makeDemoClinic(service.database)
      if (json) return
      process.stdout.write(
        await demoBanner(
          service.database,
          `http://${openable(config.host)}:${service.port}`,
          config.clinicApp !== undefined,
        ),
      )
    }
    try {
      // `begin` never ends if the database does not answer; a signal must still stop the process.
      await Promise.race([begin(), stopped])
    } catch (error) {
      if (!signal.aborted) {
        await service.stop()
        throw error
      }
    }
    await stopped
    // A connection to a database that no longer answers would block the exit.
    process.exit(0)
  })

/**
 * Returns a signal that SIGTERM, SIGINT or SIGHUP aborts, and in a worker also the primary's message or exit. From then on the
 * process exits within `TIMEOUT_MS`.
 */
function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  const stop = () => {
    setTimeout(() => process.exit(1), TIMEOUT_MS).unref()
    stopping.abort()
  }
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
  if (cluster.isWorker) {
    // A worker may be stopped by the terminal, the process manager, the primary, or the primary's exit.
    for (const signal of signals) process.on(signal, stop)
    process.on('message', (message) => message === STOP_MESSAGE && stop())
    process.once('disconnect', stop)
  } else for (const signal of signals) process.once(signal, stop)
  return stopping.signal
}

/** An address that a browser of this machine opens. */
function openable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return isIP(host) === 6 ? `[${host}]` : host
}

const output = () => (process.stdout.isTTY ? readableOutput(process.stdout) : bufferedOutput())

function workerCount(text: string): number {
  if (text === 'auto') return availableParallelism()
  if (!/^[1-9]\d?$/.test(text)) throw new InvalidArgumentError('must be a number from 1 to 99, or auto')
  return Number(text)
}

const aborted = async (signal: AbortSignal) => signal.aborted || once(signal, 'abort')
