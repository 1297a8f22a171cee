import { Gauge } from 'prom-client'
import type { Registry } from 'prom-client'

const REFRESH_MS = 60_000

/**
 * Adds gauges of what `ask` finds, by their names, helps and values. It asks at most once a minute, in the background: a
 * database that does not answer holds no metrics up. What is not known is NaN.
 */
export function polledGauges<Seen>(
  registry: Registry,
  ask: () => Promise<Seen>,
  gauges: readonly [name: string, help: string, value: (seen: Seen) => number][],
): void {
  let seen: Seen | undefined
  let askedAt = -Infinity
  const look = () => {
    if (performance.now() - askedAt < REFRESH_MS) return
    askedAt = performance.now()
    ask().then(
      (found) => (seen = found),
      () => (seen = undefined),
    )
  }
  for (const [name, help, value] of gauges)
    registry.registerMetric(
      new Gauge({
        name,
        help,
        // Every process of a cluster measures the same values.
        aggregator: 'max',
        registers: [],
        collect() {
          look()
          this.set(seen === undefined ? Number.NaN : value(seen))
        },
      }),
    )
}
