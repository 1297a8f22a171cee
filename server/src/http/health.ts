import express from 'express'
import type { Router } from 'express'
import type { Database } from '../database/database.ts'
import { methodNotAllowed } from '../errors/method-not-allowed.ts'

const PATIENCE_MS = 2000

/**
 * `/healthz`: the process answers. `/readyz`: its database does too, so that traffic may be sent here; it tells how its
 * replicas are, which nothing depends on.
 */
export function health(database: Pick<Database, 'isReady' | 'replicas'>): Router {
  const router = express.Router()
  router.get('/healthz', (_request, response) => void response.json({ status: 'ok' }))
  router.get('/readyz', async (_request, response) => {
    const isReady = await Promise.race([
      database.isReady(),
      new Promise<boolean>((resolve) => setTimeout(resolve, PATIENCE_MS, false).unref()),
    ])
    const replicas = database.replicas.state()
    response.status(isReady ? 200 : 503).json({
      status: isReady ? 'ready' : 'database out of reach or not up to date',
      ...(replicas.configured > 0 ? { replicas } : {}),
    })
  })
  router.all(['/healthz', '/readyz'], methodNotAllowed('GET, HEAD'))
  return router
}
