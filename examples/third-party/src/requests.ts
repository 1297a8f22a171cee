import { setTimeout } from 'node:timers/promises'
import createClient from 'openapi-fetch'
import type { Client } from 'openapi-fetch'
import type { paths } from './companion-api.ts'

export type Service = Client<paths>

/**
 * Sends a request up to five times, with 30 seconds for each try. Repeats any request after 429, because the service has
 * done nothing. After 5xx or without a complete answer, repeats only requests that do no harm when executed twice.
 */
async function deliver(request: Request, repeatable: boolean): Promise<Response> {
  for (let pause = 0.5; ; pause *= 2) {
    const isLast = pause > 4
    const response = await once(request.clone()).catch((error: unknown) => {
      if (isLast || !repeatable) throw error
      return undefined
    })
    if (response && (isLast || !(response.status === 429 || (repeatable && response.status >= 500))))
      return response
    const wait = Number(response?.headers.get('retry-after')) || pause
    console.error(`${new URL(request.url).pathname}: ${response?.status ?? 'no answer'}, again in ${wait} s`)
    await setTimeout(wait * 1000)
  }
}

async function once(request: Request): Promise<Response> {
  const response = await fetch(request, { signal: AbortSignal.timeout(30_000) })
  await response.clone().arrayBuffer() // Throws if the body is cut short.
  return response
}

/** An option for requests other than reads that do no harm when executed twice. */
export const repeatable = { fetch: (request: Request) => deliver(request, true) }

/** The caller. */
export interface TokenHolder {
  token: () => string
  /** Gets another token. */
  renew: () => Promise<void>
}

/** The operations of the service at `baseUrl`: without a token, or with those of `holder`. */
export function openService(baseUrl: string, holder?: TokenHolder): Service {
  // A middleware would not do: it sees neither a body that is cut short nor its own requests.
  const service = createClient<paths>({
    baseUrl,
    fetch: (request: Request) => deliver(request, request.method === 'GET'),
  })
  if (!holder) return service
  let renewal: Promise<void> | undefined
  // An access token is valid for 15 minutes. Requests that find it expired at the same time renew it once.
  service.use({
    onRequest({ request }) {
      request.headers.set('Authorization', `Bearer ${holder.token()}`)
    },
    async onResponse({ request, response, options: { fetch } }) {
      const isExpired =
        response.status === 401 && (await response.clone().text()).includes('"Token is expired"')
      if (!isExpired) return undefined
      if (request.headers.get('Authorization') === `Bearer ${holder.token()}`) {
        await (renewal ??= holder.renew().finally(() => (renewal = undefined)))
      }
      request.headers.set('Authorization', `Bearer ${holder.token()}`)
      return fetch(request)
    },
  })
  return service
}

interface DataResponse<Data> {
  data?: Data
  error?: unknown
  response: Response
}

/** Returns the data of a response. Throws an error that names status and `detail` if there are none. */
export async function expectData<Data>(call: Promise<DataResponse<Data>>): Promise<Data> {
  const { data, error, response } = await call
  if (data !== undefined) return data
  throw new Error(`${new URL(response.url).pathname}: ${response.status} ${JSON.stringify(error)}`)
}
