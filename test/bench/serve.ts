/*
 * Runs the service in its own process and sends the port to the parent process. `TRAIL_MINUTE_MS` is how long its trail counts
 * what comes again, a minute by default.
 */
import { readConfig } from '@companion/server/config/config.ts'
import { bufferedOutput, createLogger } from '@companion/server/telemetry/log.ts'
import { startService } from '@companion/server/service.ts'

const config = readConfig({ ...process.env, PORT: '0' })
const minuteMs = Number(process.env['TRAIL_MINUTE_MS'] ?? 60_000)
const service = await startService(config, createLogger(config.logLevel, bufferedOutput()), { minuteMs })
await service.ready
process.send?.(service.port)
process.once('SIGTERM', () => void service.stop().then(() => process.exit(0)))
