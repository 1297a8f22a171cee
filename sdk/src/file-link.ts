import { TRPCClientError } from '@trpc/client'
import type { Operation, TRPCClient, TRPCLink } from '@trpc/client'
import type { inferRouterOutputs } from '@trpc/server'
import type { AppRouter } from '@companion/server/router'
import { observableFromPromise } from './promise-observable.ts'
import type { CallOptions } from './call-options.ts'
import type { DownloadResponse, Downloader, FileProgress, DownloadRequest } from './download.ts'
import { readProperty, toTrpcErrorShape, unreachableError } from './errors.ts'
import { FILES } from './operations/kinds.ts'
import { parseRetryAfterMs } from './retry-after.ts'
import { headersOf } from './transport.ts'
import type { Fetch } from './transport.ts'

/** A file that the service has made. */
export interface CompanionFile {
  /** File name, such as `Beta_Report.pdf`. */
  name: string
  /** Media type, such as `application/pdf`. */
  type: string
  bytes: ArrayBuffer
}

export interface FileOptions extends CallOptions {
  /**
   * Called while the file arrives. Without XMLHttpRequest, as in Node.js, or with a `fetch` of your own: once, at the
   * end.
   */
  onProgress?: ((progress: FileProgress) => unknown) | undefined
}

/** The typed tRPC client with this link, which gets files too. */
export type ServiceTrpc = TRPCClient<AppRouter>

type FileOperation = NonNullable<(typeof FILES)[string]>

/** The router's type of a file, for users of the raw client. */
type ResponseFile = inferRouterOutputs<AppRouter>['reports']['pdf']

/**
 * Fetches the responses that are files, and passes other calls on. Files come over REST, because tRPC's JSON cannot carry
 * bytes.
 */
export function fileLink(
  baseUrl: string,
  givenFetch: Fetch | undefined,
  download: Downloader,
): TRPCLink<AppRouter> {
  async function fetchFile(
    operation: FileOperation,
    { input, context, signal }: Operation,
  ): Promise<CompanionFile & ResponseFile> {
    const { onProgress } = context
    const { url, ...request } = requestOf(operation, input, headersOf(context))
    const arrived = await download(
      {
        ...request,
        url: `${baseUrl}${url}`,
        signal,
        // Do not wait for the listener: it may call the client, or throw.
        onProgress:
          typeof onProgress === 'function'
            ? (progress) => void Promise.resolve(progress).then((each) => onProgress(each))
            : undefined,
      },
      givenFetch,
    )
    const { status, header, bytes } = arrived
    // 206 is the part that was asked for.
    if (status > 206) throw errorIn(arrived)
    const [type = ''] = (header('content-type') ?? '').split(';')
    const length = header('content-encoding') ? null : header('content-length')
    if (type !== operation.type || (length !== null && Number(length) !== bytes.byteLength)) {
      throw unreachableError('The file is not complete')
    }
    const name = nameIn(header('content-disposition')) ?? operation.name
    return { name, type, bytes, size: bytes.byteLength }
  }

  return () =>
    ({ op, next }) => {
      const operation = FILES[op.path]
      if (!operation) return next(op)
      return observableFromPromise(async () => ({
        result: { type: 'data', data: await fetchFile(operation, op) },
      }))
    }
}

/** The input of a GET goes into its query, that of another method into a body of JSON. */
const requestOf = (
  { method, url }: FileOperation,
  input: unknown,
  headers: Record<string, string>,
): Pick<DownloadRequest, 'method' | 'url' | 'headers' | 'body'> =>
  method === 'GET'
    ? { method, url: `${url}?${queryOf(input)}`, headers, body: undefined }
    : {
        method,
        url,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(input),
      }

const queryOf = (input: unknown): string =>
  Object.entries(Object(input))
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`)
    .join('&')

/** Reads the error that the service sent instead of the file. */
function errorIn({ status, header, bytes }: DownloadResponse): Error {
  const detail = readProperty(jsonIn(bytes), 'detail')
  const retryAfter = parseRetryAfterMs({ status, headers: { get: header } })
  return detail === undefined
    ? Object.assign(unreachableError(`Something else than the service answered (status ${status})`), {
        retryAfter,
      })
    : TRPCClientError.from<AppRouter>(toTrpcErrorShape(status, detail, header('x-request-id') ?? undefined), {
        meta: { response: { retryAfter } },
      })
}

/** An error of the service is shorter than this; a longer body is some other page. */
const LONGEST_ERROR = 1_000_000

/** Needed because some versions of Hermes have no TextDecoder. */
function jsonIn(bytes: ArrayBuffer): unknown {
  if (bytes.byteLength > LONGEST_ERROR) return undefined
  const escaped = Array.from(new Uint8Array(bytes), (byte) => `%${byte.toString(16).padStart(2, '0')}`)
  try {
    return JSON.parse(decodeURIComponent(escaped.join('')))
  } catch {
    return undefined
  }
}

const nameIn = (disposition: string | null): string | undefined =>
  /filename="?([^";]+)/.exec(disposition ?? '')?.[1]
