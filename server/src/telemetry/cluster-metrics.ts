import cluster from 'node:cluster'
import type { Worker } from 'node:cluster'
import { AggregatorRegistry } from 'prom-client'
import type { Registry } from 'prom-client'
import { z } from 'zod'

/** How long the primary waits for a worker's metrics; for a worker that is too busy, it uses the last ones. */
const WORKER_MS = 5000
const TIMEOUT_MS = 6000

/** The primary's message that asks a worker for its metrics. */
const REPORT = 'tell metrics'

const asked = z.object({ metricsFor: z.int() })
const answered = z.object({ metricsOf: z.int(), text: z.string() })
/** A worker's metrics, as `Registry.getMetricsAsJSON` returns them. */
const told = z.object({ metrics: z.array(z.looseObject({ type: z.string() })) })

/** In the primary: answers a worker's request with the metrics of all workers together. */
export function serveClusterMetrics(): void {
  const answering = new Set<Worker>()
  const latest = new Map<Worker, z.infer<typeof told>['metrics']>()
  // Keeps the last shown counts of ended workers, so that no counter ever goes down.
  let ended: Promise<object[]> = Promise.resolve([])

  cluster.on('exit', (worker) => {
    const counted = latest.get(worker)?.filter(({ type }) => type === 'counter' || type === 'histogram') ?? []
    answering.delete(worker)
    latest.delete(worker)
    ended = ended.then((others) => AggregatorRegistry.aggregate([others, counted]).getMetricsAsJSON())
  })

  const ask = (worker: Worker) =>
    new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer)
        worker.off('message', hear).off('exit', done)
        resolve()
      }
      const hear = (message: unknown) => {
        const { data } = told.safeParse(message)
        if (!data) return
        if (!worker.isDead()) latest.set(worker, data.metrics)
        done()
      }
      const timer = setTimeout(done, WORKER_MS)
      worker
        .on('message', hear)
        .once('exit', done)
        .send(REPORT, () => {})
    })

  async function mergedMetrics(): Promise<string> {
    await Promise.all([...answering].map(ask))
    // Read in the same turn as `ended`: the counts of a worker that exits move from `latest` to `ended`.
    const living = [...latest.values()]
    return AggregatorRegistry.aggregate([await ended, ...living]).metrics()
  }

  cluster.on('message', (worker, message: unknown) => {
    // Its first message says that it answers requests.
    if (!worker.isDead()) answering.add(worker)
    const { data } = asked.safeParse(message)
    if (!data) return
    mergedMetrics().then(
      (text) => worker.send({ metricsOf: data.metricsFor, text }, () => {}),
      // On a failure the worker gets no response and its request times out.
      () => undefined,
    )
  })
}

/**
 * In a worker: reports `registries` to the primary on request. Returns a function that asks the primary for the metrics
 * of all workers, in Prometheus' text format. That function rejects if the primary does not answer within `TIMEOUT_MS`.
 */
export function joinMetrics(registries: Registry[]): () => Promise<string> {
  const report = async () => {
    const metrics = await Promise.all(registries.map((registry) => registry.getMetricsAsJSON()))
    process.send?.({ metrics: metrics.flat() })
  }
  process.on('message', (message) => {
    // On a failure this worker does not answer, and the primary uses its last metrics.
    if (message === REPORT) report().catch(() => undefined)
  })
  let last = 0
  return () =>
    new Promise((resolve, reject) => {
      last += 1
      const number = last
      const timer = setTimeout(() => done(new Error('The primary does not answer')), TIMEOUT_MS)
      const listen = (message: unknown) => {
        const { data } = answered.safeParse(message)
        if (data?.metricsOf === number) done(data.text)
      }
      const done = (outcome: string | Error) => {
        clearTimeout(timer)
        process.off('message', listen)
        if (typeof outcome === 'string') resolve(outcome)
        else reject(outcome)
      }
      process.on('message', listen)
      process.send?.({ metricsFor: number })
    })
}
