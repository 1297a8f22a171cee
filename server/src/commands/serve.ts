import { Command } from 'commander'
import { readConfig } from '../config/config.ts'
import { createLogger } from '../http/log.ts'
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
    const log = createLogger(config.logLevel)
    const service = await startService(config, log)
    const stopped = stopOnSignal(async () => {
      await service.stop()
    })
    try {
      await service.ready
      if (demo) {
        const { makeDemoFamily } = await import('../demo/family.ts')
        const { demoBanner } = await import('../demo/banner.ts')
        await makeDemoFamily(service.database, config)
        process.stdout.write(await demoBanner(service.database, `http://${config.host}:${service.port}`))
      }
    } catch (error) {
      await service.stop()
      throw error
    }
    await stopped
    // A connection to a database that does not answer any more would keep the process.
    process.exit(0)
  })

/** Resolves when a signal came and `stop` is through. */
async function stopOnSignal(stop: () => Promise<void>): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
  })
  setTimeout(() => process.exit(1), PATIENCE_MS).unref()
  await stop()
}
