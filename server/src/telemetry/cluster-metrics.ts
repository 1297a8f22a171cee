import cluster from 'node:cluster'
import type { Worker } from 'node:cluster'
import { AggregatorRegistry } from 'prom-client'
import type { Registry } from 'prom-client'
import { z } from 'zod'

/** How long a worker has to tell; one that is too busy is shown as it was before. */
const WORKER_MS = 5000
const PATIENCE_MS = 6000

/** What the primary says to a worker that shall tell what it has counted. */
const TELL = 'tell metrics'

const asked = z.object({ metricsFor: z.int() })
const answered = z.object({ metricsOf: z.int(), text: z.string() })
/** As `Registry.getMetricsAsJSON` has them. */
const told = z.object({ metrics: z.array(z.looseObject({ type: z.string() })) })

/** In the primary: answers a worker that is asked for metrics with those of all workers together. */
export function answerWorkers(): void {
  const listening = new Set<Worker>()
  const latest = new Map<Worker, z.infer<typeof told>['metrics']>()
  // What the workers had counted that have ended, as far as it was shown: so no counter ever goes down.
  let ended: Promise<object[]> = Promise.resolve([])

  cluster.on('listening', (worker) => listening.add(worker))
  cluster.on('exit', (worker) => {
    const counted = latest.get(worker)?.filter(({ type }) => type === 'counter' || type === 'histogram') ?? []
    listening.delete(worker)
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
        .send(TELL, () => {})
    })

  async function tellAll(): Promise<string> {
    await Promise.all([...listening].map(ask))
    // Taken at once with the others, for a worker that ends goes from one to the other.
    const living = [...latest.values()]
    return AggregatorRegistry.aggregate([await ended, ...living]).metrics()
  }

  cluster.on('message', (worker, message: unknown) => {
    const { data } = asked.safeParse(message)
    if (!data) return
    tellAll().then(
      (text) => worker.send({ metricsOf: data.metricsFor, text }, () => {}),
      // Whoever asked will ask again.
      () => undefined,
    )
  })
}

/** In a worker: tells the primary what is in `registries`, and asks it for what all workers have counted. */
export function joinMetrics(registries: Registry[]): () => Promise<string> {
  const tell = async () => {
    const metrics = await Promise.all(registries.map((registry) => registry.getMetricsAsJSON()))
    process.send?.({ metrics: metrics.flat() })
  }
  process.on('message', (message) => {
    // What cannot be measured now is left out by not answering.
    if (message === TELL) tell().catch(() => undefined)
  })
  let last = 0
  return () =>
    new Promise((resolve, reject) => {
      last += 1
      const number = last
      const timer = setTimeout(() => done(new Error('The primary does not answer')), PATIENCE_MS)
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
