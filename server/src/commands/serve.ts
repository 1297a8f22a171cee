import cluster from 'node:cluster'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { InvalidArgumentError } from 'commander'
import { readConfig } from '../config/config.ts'
import { bufferedOutput, createLogger } from '../telemetry/log.ts'
import { startService, startWorker } from '../service.ts'
import { startWorkers, STOP } from '../workers.ts'
import { command, CommandError } from './program.ts'

/** Less than the 10 seconds a process manager waits before it kills. */
const PATIENCE_MS = 9500

export const serveCommand = command('serve', 'run the service until SIGTERM or SIGINT')
  .option('--demo', 'on an empty database, make a demo family first and print what to try')
  .option(
    '--workers <number>',
    'processes that share the port; `auto`: one for each processor core',
    workerCount,
  )
  .action(async ({ demo, json, workers = 1 }: { demo?: boolean; json?: boolean; workers?: number }) => {
    const config = readConfig(process.env)
    if (demo && config.production) throw new CommandError('--demo is refused when NODE_ENV=production')
    const log = createLogger(config.logLevel, bufferedOutput())
    // Listened to before anything is started: else a signal would leave a PostgreSQL behind that is just starting.
    const signal = stopSignal()
    const start = cluster.isWorker ? startWorker : workers > 1 ? startWorkers : startService
    const service = await start(config, log, workers).catch((error: unknown) => {
      // The channel to the primary would keep a worker that failed.
      process.disconnect?.()
      throw error
    })
    const stopped = aborted(signal).then(() => service.stop())
    const begin = async () => {
      await service.ready
      if (!demo || !cluster.isPrimary) return
      const { makeDemoFamily } = await import('../demo/family.ts')
      const { demoBanner } = await import('../demo/banner.ts')
      await makeDemoFamily(service.database, config)
      if (json) return
      process.stdout.write(await demoBanner(service.database, `http://${config.host}:${service.port}`))
    }
    try {
      // A database that does not answer would keep it here.
      await Promise.race([begin(), stopped])
    } catch (error) {
      if (!signal.aborted) {
        await service.stop()
        throw error
      }
    }
    await stopped
    // A connection to a database that does not answer any more would keep the process.
    process.exit(0)
  })

/** Aborted by SIGTERM or SIGINT, from when on the process has little time. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  const stop = () => {
    setTimeout(() => process.exit(1), PATIENCE_MS).unref()
    stopping.abort()
  }
  const signals = ['SIGTERM', 'SIGINT'] as const
  if (cluster.isWorker) {
    // It is asked by many: the terminal, the process manager, and the primary, or its end.
    for (const signal of signals) process.on(signal, stop)
    process.on('message', (message) => message === STOP && stop())
    process.once('disconnect', stop)
  } else for (const signal of signals) process.once(signal, stop)
  return stopping.signal
}

function workerCount(text: string): number {
  if (text === 'auto') return availableParallelism()
  if (!/^[1-9]\d?$/.test(text)) throw new InvalidArgumentError('must be a number from 1 to 99, or auto')
  return Number(text)
}

const aborted = async (signal: AbortSignal) => signal.aborted || once(signal, 'abort')
