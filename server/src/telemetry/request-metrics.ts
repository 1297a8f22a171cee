import { Counter, Histogram } from 'prom-client'

const requests = new Counter({
  name: 'companion_requests_total',
  help: 'Requests answered, by operation and status; 499 when the client went away before its answer.',
  labelNames: ['operation', 'status'],
})

const seconds = new Histogram({
  name: 'companion_request_seconds',
  help: 'How long requests took, by operation.',
  labelNames: ['operation'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
})

/** Counts a request. `operation` is a name of the router, so that there are not more of them than operations. */
export function countRequest(operation: string | undefined, status: number, ms: number): void {
  requests.inc({ operation: operation ?? 'none', status })
  seconds.observe({ operation: operation ?? 'none' }, ms / 1000)
}
