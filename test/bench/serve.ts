/* Runs the service in its own process and sends the port to the parent process. */
import { readConfig } from '@companion/server/config/config.ts'
import { bufferedOutput, createLogger } from '@companion/server/telemetry/log.ts'
import { startService } from '@companion/server/service.ts'

const config = readConfig({ ...process.env, PORT: '0' })
const service = await startService(config, createLogger(config.logLevel, bufferedOutput()))
await service.ready
process.send?.(service.port)
process.once('SIGTERM', () => void service.stop().then(() => process.exit(0)))
