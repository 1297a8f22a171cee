import { readConfig } from './config/config.ts'
import { createLogger } from './http/log.ts'
import { startService } from './service.ts'
const config = readConfig(process.env)
const s = await startService(config, createLogger(config.logLevel))
await s.ready
process.once('SIGTERM', async () => { await s.stop(); })
