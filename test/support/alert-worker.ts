import { keyRingOf } from '@companion/server/encryption/key-ring.ts'
import { readConfig } from '@companion/server/config/config.ts'
import { openDatabase } from '@companion/server/database/database.ts'
import { createAlertSenders } from '@companion/server/delivery/configured.ts'
import { startSendingAlerts } from '@companion/server/delivery/send-alerts.ts'
import { createLogger } from '@companion/server/telemetry/log.ts'

/* A process that sends alerts until it is killed. */

const config = readConfig(process.env)
const database = await openDatabase(config.database ?? '', {
  pool: 2,
  keyRing: keyRingOf(config, config.tokenSecret ?? ''),
})
startSendingAlerts(
  { database, senders: createAlertSenders(config), log: createLogger('info'), timeZone: config.timeZone },
  { pollMs: 20, tryMs: 60_000, retryMs: 50, mostAttempts: 8 },
)
