import cluster from 'node:cluster'
import { AggregatorRegistry } from 'prom-client'
import type { Registry } from 'prom-client'
import { z } from 'zod'

const PATIENCE_MS = 6000

const asked = z.object({ metricsFor: z.int() })
const answered = z.object({ metricsOf: z.int(), text: z.string() })

// The primary asks through it; in a worker its being there answers.
const all = new AggregatorRegistry()

/** In the primary: answers a worker that is asked for metrics with those of all workers together. */
export function answerWorkers(): void {
  cluster.on('message', (worker, message: unknown) => {
    const { data } = asked.safeParse(message)
    if (!data) return
    all.clusterMetrics().then(
      (text) => worker.send({ metricsOf: data.metricsFor, text }, () => {}),
      // A worker ended in between; whoever asked will ask again.
      () => undefined,
    )
  })
}

/** In a worker: lets the primary collect from `registries`, and asks it for what all workers have counted. */
export function joinMetrics(registries: Registry[]): () => Promise<string> {
  AggregatorRegistry.setRegistries(registries)
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
