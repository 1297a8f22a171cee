import { TRPCClientError } from '@trpc/client'
import type { TRPCLink } from '@trpc/client'
import type { AppRouter } from '@companion/server/router'
import { property, unreachable } from './errors.ts'
import { observableOf } from './promise-observable.ts'
import { waitAskedBy } from './retry-after.ts'

/** The `fetch` of browsers, Node.js and React Native. */
export type Fetch = typeof globalThis.fetch

/**
 * Sends calls over HTTP as tRPC's `httpLink` does, one request each, with the call's `context.headers`. It reads each response to
 * its end, so that a connection cut in the middle counts as no response, and so does the page of a proxy. What `httpLink`
 * brings for forms and files would be 1 kB of a page.
 */
export function transport(baseUrl: string, givenFetch: Fetch | undefined): TRPCLink<AppRouter> {
  async function send(path: string, init: RequestInit) {
    const request = givenFetch ?? globalThis.fetch
    const sent = (async () => request(`${baseUrl}/trpc/${path}`, init))()
    const response = await sent.catch((cause: unknown) => {
      throw unreachable('The service could not be reached', cause)
    })
    const { status, headers } = response
    const retryAfter = waitAskedBy(response)
    const noResponse = (message: string, cause?: unknown) =>
      Object.assign(unreachable(`${message} (status ${status})`, cause), { retryAfter })
    const body: unknown = await response.json().catch((cause: unknown) => {
      throw noResponse('Incomplete response', cause)
    })
    const context = { response: { status, headers, retryAfter, requestId: headers.get?.('x-request-id') } }
    const data = property(property(body, 'result'), 'data')
    if (data !== undefined) return { context, result: { type: 'data' as const, data } }
    // Other services, too, answer JSON with an `error`.
    if (typeof property(property(property(body, 'error'), 'data'), 'status') !== 'number')
      throw noResponse('Something else than the service answered')
    throw TRPCClientError.from<AppRouter>(Object(body), { meta: context })
  }

  return () =>
    ({ op: { type, path, input, context, signal } }) =>
      observableOf(() => {
        const headers = headersOf(context)
        const json = JSON.stringify(input)
        const common = signal ? { signal } : {}
        return type === 'query'
          ? send(json === undefined ? path : `${path}?input=${encodeURIComponent(json)}`, {
              ...common,
              method: 'GET',
              headers,
            })
          : send(path, {
              ...common,
              method: 'POST',
              headers: { 'content-type': 'application/json', ...headers },
              body: json,
            })
      })
}

/** The extra headers of a call. */
export function headersOf(context: Record<string, unknown>): Record<string, string> {
  const { headers } = context
  if (typeof headers !== 'object' || headers === null) return {}
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
