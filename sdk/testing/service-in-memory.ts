import type { CompanionStorage } from '../src/storage.ts'

/** A request as the scripted service received it. */
export interface Sent {
  /** Name of the operation, such as `account.me`. */
  path: string
  input: unknown
  headers: Headers
}

/** Made without `Response.json`, which React Native's does not have. */
const json = (body: unknown, init: { status?: number; headers?: Record<string, string> } = {}) =>
  new Response(JSON.stringify(body), {
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
  })

export const answer = (data: unknown) => json({ result: { data } })

export const refuse = (status: number, detail: unknown, headers: Record<string, string> = {}) =>
  json(
    {
      error: {
        code: -32000,
        message: String(detail),
        data: { status, httpStatus: status, detail, requestId: 'request-1' },
      },
    },
    { status, headers },
  )

export const cut = () => {
  throw new TypeError('fetch failed')
}

export const me = { root_user_id: 7, first_name: 'Kim' }

/**
 * A service in memory behind `fetch`: one account whose tokens are numbered, refreshes by the real rules (a used
 * token ends the session, the same Idempotency-Key gets the same tokens again), and a list of requests.
 */
export function serviceInMemory() {
  const sent: Sent[] = []
  let issued = 0
  let rotation: { key: string | null; from: string; pair: ReturnType<typeof issue> } | undefined
  let stored: string | undefined

  const issue = () => {
    issued++
    stored = `refresh-${issued}`
    return {
      access_token: `access-${issued}`,
      expires_in: service.lifetime,
      refresh_token: stored,
      refresh_expires_in: 1_209_600,
      token_type: 'bearer',
      id: service.account,
    }
  }

  const service = {
    sent,
    issue,
    /** Refuses a call whose access token was not issued here or has expired. */
    unauthorized,
    /** The account that signs in. */
    account: 7,
    /** Lifetime of access tokens in seconds. */
    lifetime: 900,
    to: (path: string) => sent.filter((request) => request.path === path),
    /** May answer instead of the service; undefined lets the service answer. */
    instead: (_request: Sent): Response | undefined | Promise<Response | undefined> => undefined,
    /** Receives the service's response on its way back. */
    onReturn: (_request: Sent, response: Response): Response | Promise<Response> => response,
    /** Makes the tokens issued so far expire, from the point of view of the service. */
    expireAccess: () => void (service.oldestValid = issued + 1),
    oldestValid: 1,
    fetch: async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
      if (init.signal?.aborted) throw new Error('aborted')
      const { pathname, searchParams } = new URL(url instanceof Request ? url.url : url)
      const text = typeof init.body === 'string' ? init.body : (searchParams.get('input') ?? 'null')
      const request: Sent = {
        path: pathname.replace('/trpc/', ''),
        input: JSON.parse(text),
        headers: new Headers(init.headers),
      }
      sent.push(request)
      return service.onReturn(request, (await service.instead(request)) ?? respond(request))
    },
  }

  function respond({ path, input, headers }: Sent): Response {
    if (path === 'auth.signIn' || path === 'auth.signUp') return answer(issue())
    if (path === 'auth.refresh') return refresh(input, headers.get('idempotency-key'))
    if (path === 'devlogs.upload') return answer({ statusCode: 200, message: 'Devlog saved successfully' })
    return unauthorized(headers) ?? answer(me)
  }

  function unauthorized(headers: Headers): Response | undefined {
    const token = /^Bearer access-(\d+)$/.exec(headers.get('authorization') ?? '')?.[1]
    if (token === undefined) return refuse(401, 'Could not validate credentials')
    return Number(token) < service.oldestValid ? refuse(401, 'Token is expired') : undefined
  }

  function refresh(input: unknown, key: string | null): Response {
    const from = String(Reflect.get(Object(input), 'refresh_token'))
    if (rotation && rotation.key === key && rotation.from === from) return answer(rotation.pair)
    if (from !== stored) {
      stored = undefined
      return refuse(401, 'Refresh token is not valid')
    }
    rotation = { key, from, pair: issue() }
    return answer({ ...rotation.pair, id: 'c0ffee00-0000-4000-8000-000000000000' })
  }

  return service
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 5))

/** A slow storage, like that of a phone, whose content a test can read. */
export function slowStorage(items = new Map<string, string>()) {
  return {
    items,
    getItem: async (key: string) => {
      await pause()
      return items.get(key) ?? null
    },
    setItem: async (key: string, value: string) => {
      await pause()
      items.set(key, value)
    },
    removeItem: async (key: string) => {
      await pause()
      items.delete(key)
    },
    getAllKeys: async () => {
      await pause()
      return [...items.keys()]
    },
  } satisfies CompanionStorage & { items: Map<string, string> }
}
