import { record } from './exchanges.ts'
import { observe } from './observed.ts'

export interface TestResponse {
  status: number
  headers: Headers
  /** The parsed JSON; the text when it is not JSON. */
  body: any
}

interface Options {
  /** Body, sent as JSON. */
  json?: unknown
  /** Body, sent as a form. */
  form?: Record<string, string>
  /** Body, sent unchanged; set the content type in `headers`. */
  body?: string | Uint8Array
  query?: Record<string, string | number>
  token?: string
  headers?: Record<string, string>
}

type Method = (path: string, options?: Options) => Promise<TestResponse>

/** Sends plain HTTP, like `curl`. Records every response for the meta-test of declared errors. */
export interface Client {
  get: Method
  post: Method
  patch: Method
  put: Method
  delete: Method
}

/** With `isProxied`, answers carry a proxy's headers, which the document need not declare: they are not recorded. */
export function createClient(origin: string, { isProxied = false } = {}): Client {
  const method =
    (name: string): Method =>
    async (path, { json, form, body, query, token, headers = {} } = {}) => {
      const search = query ? `?${new URLSearchParams(texts(query)).toString()}` : ''
      const content =
        json !== undefined ? JSON.stringify(json) : form ? new URLSearchParams(form).toString() : body
      const type =
        json !== undefined ? 'application/json' : form ? 'application/x-www-form-urlencoded' : undefined
      const sent = {
        ...(type ? { 'content-type': type } : {}),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      }
      const url = `${path}${search}`
      const response = await fetch(`${origin}${url}`, {
        method: name,
        headers: sent,
        ...(content === undefined ? {} : { body: content }),
      })
      const text = await response.text()
      const { status } = response
      const reply = { status, headers: response.headers, body: parse(text) }
      observe(name, path, reply)
      if (typeof content !== 'object' && !isProxied) {
        const received = Object.fromEntries(response.headers)
        record({
          method: name,
          url,
          headers: sent,
          body: content ?? null,
          response: { status, headers: received, body: text },
        })
      }
      return reply
    }
  return {
    get: method('GET'),
    post: method('POST'),
    patch: method('PATCH'),
    put: method('PUT'),
    delete: method('DELETE'),
  }
}

const texts = (values: Record<string, string | number>) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)]))

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
