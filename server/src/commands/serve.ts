import { once } from 'node:events'
import { Command } from 'commander'
import { readConfig } from '../config/config.ts'
import { bufferedOutput, createLogger } from '../http/log.ts'
import { startService } from '../service.ts'
import { CommandError } from './program.ts'

/** Less than the 10 seconds a process manager waits before it kills. */
const PATIENCE_MS = 9500

export const serveCommand = new Command('serve')
  .description('run the service until SIGTERM or SIGINT')
  .option('--demo', 'on an empty database, make a demo family first and print what to try')
  .action(async ({ demo }: { demo?: boolean }) => {
    const config = readConfig(process.env)
    if (demo && config.production) throw new CommandError('--demo is refused when NODE_ENV=production')
    const log = createLogger(config.logLevel, bufferedOutput())
    // Listened to before anything is started: else a signal would leave a PostgreSQL behind that is just starting.
    const signal = stopSignal()
    const service = await startService(config, log)
    const stopped = aborted(signal).then(() => service.stop())
    try {
      await service.ready
      if (demo) {
        const { makeDemoFamily } = await import('../demo/family.ts')
        const { demoBanner } = await import('../demo/banner.ts')
        await makeDemoFamily(service.database, config)
        process.stdout.write(await demoBanner(service.database, `http://${config.host}:${service.port}`))
      }
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
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop)
  return stopping.signal
}

const aborted = async (signal: AbortSignal) => signal.aborted || once(signal, 'abort')
