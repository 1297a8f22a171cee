import { TRPCClientError } from '@trpc/client'
import type { Operation, TRPCLink } from '@trpc/client'
import type { AppRouter } from '@companion/server/router'
import { readProperty, unreachableError } from './errors.ts'
import { observableFromPromise } from './promise-observable.ts'
import type { OperationOutput } from './promise-observable.ts'
import { parseRetryAfterMs } from './retry-after.ts'

/** The `fetch` of browsers, Node.js and React Native. */
export type Fetch = typeof globalThis.fetch

/**
 * Sends calls over HTTP, one request each, with the call's `context.headers`. It reads each response to its end, so
 * that a connection cut in the middle counts as no response, and so does the page of a proxy.
 *
 * This is tRPC's `httpLink` without what this service does not use (batches, forms, transformers), which is 2 kB of a page.
 */
export function transport(baseUrl: string, givenFetch: Fetch | undefined): TRPCLink<AppRouter> {
  async function answered(op: Operation): Promise<OperationOutput> {
    const { type, path, input, signal } = op
    const send = givenFetch ?? globalThis.fetch
    const headers = headersOf(op.context)
    const json = JSON.stringify(input ?? {})
    const [query, request] =
      type === 'query'
        ? [`?input=${encodeURIComponent(json)}`, { method: 'GET', headers }]
        : ['', { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: json }]
    const sent = (async () =>
      send(`${baseUrl}/trpc/${path}${query}`, { ...request, ...(signal ? { signal } : {}) }))()
    const response = await sent.catch((cause: unknown) => {
      throw unreachableError('The service could not be reached', cause)
    })
    const { status, headers: received } = response
    const retryAfter = parseRetryAfterMs(response)
    const noResponse = (message: string, cause?: unknown) =>
      Object.assign(unreachableError(`${message} (status ${status})`, cause), { retryAfter })
    const body: unknown = await response.json().catch((cause: unknown) => {
      throw noResponse('Incomplete response', cause)
    })
    const context = {
      response: { status, headers: received, retryAfter, requestId: received.get?.('x-request-id') },
    }
    const data = readProperty(readProperty(body, 'result'), 'data')
    if (data !== undefined) return { context, result: { type: 'data', data } }
    const error = readProperty(body, 'error')
    if (!isError(error)) throw noResponse('Something else than the service answered')
    throw TRPCClientError.from<AppRouter>({ error }, { meta: context })
  }

  return () =>
    ({ op }) =>
      observableFromPromise(() => answered(op))
}

/** Checks the whole shape, because other services also answer JSON with an `error` or a `result`. */
const isError = (error: unknown): boolean =>
  typeof readProperty(error, 'code') === 'number' &&
  typeof readProperty(readProperty(error, 'data'), 'status') === 'number'

/** The extra headers of a call. */
export function headersOf(context: Record<string, unknown>): Record<string, string> {
  const { headers } = context
  if (typeof headers !== 'object' || headers === null) return {}
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
