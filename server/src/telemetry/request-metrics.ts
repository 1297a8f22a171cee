import { Counter, Histogram } from 'prom-client'

const requests = new Counter({
  name: 'companion_requests_total',
  help: 'Requests answered, by operation and status; 499 if the client disconnected before the response.',
  labelNames: ['operation', 'status'],
})

const seconds = new Histogram({
  name: 'companion_request_duration_seconds',
  help: 'Duration of requests in seconds, by operation.',
  labelNames: ['operation'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
})

/** Counts a request that took `ms` milliseconds. `operation` is its name in the router, which bounds the label values. */
export function countRequest(operation: string | undefined, status: number, ms: number): void {
  requests.inc({ operation: operation ?? 'none', status })
  seconds.observe({ operation: operation ?? 'none' }, ms / 1000)
}
