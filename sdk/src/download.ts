import { abortError, unreachableError } from './errors.ts'
import type { Fetch } from './transport.ts'

/** Bytes of a file that have arrived. */
export interface FileProgress {
  loaded: number
  /** Size of the file; undefined when it is not known. */
  total: number | undefined
}

export interface DownloadRequest {
  method: string
  url: string
  headers: Record<string, string>
  body: string | undefined
  signal: AbortSignal | null | undefined
  onProgress: ((progress: FileProgress) => unknown) | undefined
}

/** A response with its whole body. */
export interface DownloadResponse {
  status: number
  header: (name: string) => string | null
  bytes: ArrayBuffer
}

/** The part of XMLHttpRequest that this file uses and that React Native and browsers share. */
interface Request {
  responseType: string
  readonly status: number
  readonly response: unknown
  addEventListener(type: 'load' | 'error' | 'timeout' | 'abort', listener: () => void): void
  addEventListener(
    type: 'progress',
    listener: (event: { loaded: number; total: number; lengthComputable: boolean }) => void,
  ): void
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  getResponseHeader(name: string): string | null
  send(body?: string): void
  abort(): void
}

declare const XMLHttpRequest: undefined | (new () => Request)

/** Gets the whole body of a URL, by a `fetch` of the app if there is one. */
export type Downloader = (wanted: DownloadRequest, givenFetch: Fetch | undefined) => Promise<DownloadResponse>

/**
 * Uses XMLHttpRequest where it exists, because React Native's fetch reports nothing before the last byte, and fetch elsewhere
 * or when a `fetch` was given.
 */
export const download: Downloader = (wanted, givenFetch) =>
  givenFetch || typeof XMLHttpRequest === 'undefined'
    ? downloadByFetch(wanted, givenFetch)
    : byRequest(wanted, new XMLHttpRequest())

/** `instanceof` would recognise only the ArrayBuffer of this realm, not that of a test environment. */
const isArrayBuffer = (value: unknown): value is ArrayBuffer =>
  Object.prototype.toString.call(value) === '[object ArrayBuffer]'

const fail = (cause: unknown): never => {
  throw unreachableError('The service could not be reached', cause)
}

export const downloadByFetch: Downloader = async (wanted, givenFetch) => {
  const fetch = givenFetch ?? globalThis.fetch
  const { method, url, headers, body, signal, onProgress } = wanted
  const init = { method, headers, ...(body === undefined ? {} : { body }), ...(signal ? { signal } : {}) }
  const sent = (async () => fetch(url, init))()
  const response = await sent.catch(fail)
  const bytes = await response.arrayBuffer().catch(fail)
  onProgress?.({ loaded: bytes.byteLength, total: bytes.byteLength })
  return { status: response.status, header: (name) => response.headers.get(name), bytes }
}

function byRequest(
  { method, url, headers, body, signal, onProgress }: DownloadRequest,
  request: Request,
): Promise<DownloadResponse> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortError())
    request.open(method, url)
    request.responseType = 'arraybuffer'
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.addEventListener('progress', ({ loaded, total, lengthComputable }) =>
      onProgress?.({ loaded, total: lengthComputable ? total : undefined }),
    )
    request.addEventListener('load', () => {
      const { status, response } = request
      if (!isArrayBuffer(response)) {
        return reject(unreachableError(`Incomplete response (status ${status})`))
      }
      return resolve({ status, header: (name) => request.getResponseHeader(name), bytes: response })
    })
    // React Native ends a request by `timeout` when its own limit is over, and by `abort` when the app goes to sleep.
    for (const end of ['error', 'timeout', 'abort'] as const)
      request.addEventListener(end, () => reject(unreachableError('The service could not be reached')))
    signal?.addEventListener('abort', () => {
      reject(abortError())
      request.abort()
    })
    return request.send(body)
  })
}
