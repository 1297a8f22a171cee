import express from 'express'
import type { Router } from 'express'
import type { Database } from '../database/database.ts'
import { methodNotAllowed } from '../errors/method-not-allowed.ts'
import type { ClockWatch } from '../telemetry/clock.ts'

const TIMEOUT_MS = 2000

/**
 * Serves `/healthz`, which answers 200 while the process runs, and `/readyz`, which answers 200 if the database answers,
 * takes writes and has an up-to-date schema, and 503 otherwise. `/readyz` also shows the replicas, and a clock that is
 * suspect; neither affects its status.
 */
export function health(database: Pick<Database, 'isReady' | 'replicas'>, clock: ClockWatch): Router {
  const router = express.Router()
  router.get('/healthz', (_request, response) => void response.json({ status: 'ok' }))
  router.get('/readyz', async (_request, response) => {
    const isReady = await Promise.race([
      database.isReady().then(async (isReady) => {
        if (isReady) await clock.look().catch(() => undefined)
        return isReady
      }),
      new Promise<boolean>((resolve) => setTimeout(resolve, TIMEOUT_MS, false).unref()),
    ])
    const replicas = database.replicas.state()
    response.status(isReady ? 200 : 503).json({
      status: isReady ? 'ready' : 'database out of reach, read-only or not up to date',
      ...(isReady && clock.shown() === 'suspect' ? { clock: 'suspect' } : {}),
      ...(replicas.configured > 0 ? { replicas } : {}),
    })
  })
  router.all(['/healthz', '/readyz'], methodNotAllowed('GET, HEAD'))
  return router
}
