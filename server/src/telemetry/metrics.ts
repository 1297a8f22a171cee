import cluster from 'node:cluster'
import { timingSafeEqual } from 'node:crypto'
import express from 'express'
import type { Router } from 'express'
import { collectDefaultMetrics, register, Registry } from 'prom-client'
import { Failure } from '../errors/failure.ts'
import { tokenErrors } from '../errors/generic.ts'
import { joinMetrics } from './cluster-metrics.ts'
import { methodNotAllowed } from '../errors/method-not-allowed.ts'

// Metrics of the process: memory, processor time, event loop delay.
collectDefaultMetrics()

/**
 * Serves the metrics of this process or its cluster, and those in `own`, at `/metrics` for Prometheus. If `token` is given,
 * requests must carry it as a bearer token.
 */
export function metrics(own: Registry, token: string | undefined): Router {
  const expected = token === undefined ? undefined : Buffer.from(`Bearer ${token}`)
  const askAll = cluster.isWorker ? joinMetrics([register, own]) : undefined
  const router = express.Router({ caseSensitive: true, strict: true })
  router.get('/metrics', async (request, response) => {
    const given = Buffer.from(request.headers.authorization ?? '')
    if (expected && !(given.length === expected.length && timingSafeEqual(given, expected)))
      throw new Failure(...tokenErrors[0])
    const text = await (askAll?.() ?? Registry.merge([register, own]).metrics())
    response.set({ 'content-type': register.contentType, 'cache-control': 'no-store' }).send(text)
  })
  router.all('/metrics', methodNotAllowed('GET, HEAD'))
  return router
}
