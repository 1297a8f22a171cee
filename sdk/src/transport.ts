import { httpLink } from '@trpc/client'
import type { TRPCLink } from '@trpc/client'
import type { AppRouter } from '@companion/server/router'
import { property, unreachable } from './errors.ts'
import { waitAskedBy } from './retry-after.ts'

/** The `fetch` of browsers, Node.js and React Native. */
export type Fetch = typeof globalThis.fetch

/**
 * Sends calls over HTTP, one request each, with the call's `context.headers`. It reads each response to its end, so
 * that a connection cut in the middle counts as no response, and so does the page of a proxy.
 */
export function transport(baseUrl: string, givenFetch: Fetch | undefined): TRPCLink<AppRouter> {
  return httpLink({
    url: `${baseUrl}/trpc`,
    headers: ({ op }) => headersOf(op.context),
    async fetch(url, { signal, ...init } = {}) {
      const send = givenFetch ?? globalThis.fetch
      const sent = (async () => send(url, { ...init, ...(signal ? { signal } : {}) }))()
      const response = await sent.catch((cause: unknown) => {
        throw unreachable('The service could not be reached', cause)
      })
      const { ok, status, headers } = response
      const retryAfter = waitAskedBy(response)
      const noResponse = (message: string, cause?: unknown) =>
        Object.assign(unreachable(`${message} (status ${status})`, cause), { retryAfter })
      const body: unknown = await response.json().catch((cause: unknown) => {
        throw noResponse('Incomplete response', cause)
      })
      if (!isResponse(body)) throw noResponse('Something else than the service answered')
      return { ok, status, headers, retryAfter, json: async () => body }
    },
  })
}

/** Checks the whole shape, because other services also answer JSON with an `error` or a `result`. */
const isResponse = (response: unknown): boolean =>
  property(property(response, 'result'), 'data') !== undefined ||
  typeof property(property(property(response, 'error'), 'data'), 'status') === 'number'

/** The extra headers of a call. */
export function headersOf(context: Record<string, unknown>): Record<string, string> {
  const { headers } = context
  if (typeof headers !== 'object' || headers === null) return {}
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
